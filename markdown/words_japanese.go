package markdown

import "coord"

var japanese = language{
	status: []phrases{
		{coord.SourceOpen, "未着手, 未完了, 未対応, 未実施, 未実装, 未解決, 予定, 計画中, 準備完了, オープン, これから, 未定"},
		{coord.SourceActive, "対応中, 作業中, 進行中, 実施中, 実装中, 着手, 着手済み, レビュー中, 開発中, 確認中"},
		{coord.SourcePartial, "一部完了, 部分完了, ほぼ完了, 一部対応, 一部実装"},
		{coord.SourceBlocked, "ブロック, ブロック中, 待機中, 保留待ち, 依存待ち, 停止中"},
		{coord.SourceParked, "保留, 延期, 後回し, 見送り中, 中断, 一時停止, いつか, 後で"},
		{coord.SourceDone, "完了, 完了済み, 完了済, 済, 済み, 対応済み, 対応済, 解決済み, 解決, 修正済み, 実装済み, 実装済, 終了, クローズ, マージ済み, リリース済み"},
		{coord.SourceRejected, "却下, 中止, 取消, 取り消し, キャンセル, 見送り, 対応しない, 不要, 廃止, 無効, 対象外, 重複"},
		{coord.SourceSuperseded, "置き換え済み, 置換済み, 移動済み, 差し替え済み"},
		{coord.SourceConsumed, "アーカイブ, アーカイブ済み, 履歴"},
	},
	sections: []phrases{
		{coord.SourceOpen, "次のステップ, 次にやること, 次にやるとよいこと, 次の作業, タスク, タスク一覧, 残作業, 残タスク, やること, 今後の作業, 課題"},
		{coord.SourceActive, "進行中タスク, 進行中の作業, 進行中のタスク"},
		{coord.SourceParked, "アイデア, 今後, 将来, 将来の課題"},
		{coord.SourceDone, "完了したこと, 完了タスク, 完了した作業, 変更履歴"},
		{coord.SourceRejected, "却下した案, やらないこと, 対象外"},
	},
	kinds: []sorts{
		{coord.KindLesson, "教訓, 学び, 学んだこと"},
		{coord.KindFact, "事実, 決定, 決定事項, 制約"},
		{coord.KindRejected, "却下した案, 却下されたアプローチ, 不採用案"},
		{coord.KindProposal, "ルール案, 規則案, ルール"},
	},
	criteria: "受け入れ基準, 受入基準, 受入条件, 成功基準, 完了条件, 完了の定義, 凡例, チェックリスト, 検証",
	priority: []ranks{
		{coord.PriorityUrgent, "緊急, 至急"},
		{coord.PriorityHigh, "高い, 優先度高"},
		{coord.PriorityNormal, "通常"},
		{coord.PriorityLow, "低い, 優先度低"},
	},
	columns: []heads{
		{colID, "識別子, 管理番号"},
		{colNumber, "番号, 項番"},
		{colTitle, "タスク, タイトル, 件名, 内容, 項目, 名称, 作業, 課題, 機能"},
		{colStatus, "状態, ステータス, 状況"},
		{colProgress, "進捗"},
		{colPriority, "優先度, 優先順位"},
		{colAfter, "依存, 依存関係, 前提"},
		{colOwner, "担当, 担当者"},
	},
	fields: []heads{
		{colStatus, "状態, ステータス, 状況"},
		{colPriority, "優先度"},
		{colAfter, "依存, 依存関係, 前提"},
	},
	plans:     "予定, 計画中",
	waits:     "依存, 前提",
	negations: "未, 非",
	limits:    "一部, 試行, のみ",
}
