package markdown

import "coord"

var chinese = language{
	status: []phrases{
		{coord.SourceOpen, "待办, 待辦, 待开始, 待開始, 待实施, 待实现, 待处理, 待處理, 待定, 未开始, 未開始, 未完成, 尚未完成, 未实现, 未解决, 未做, 没做, 计划中, 計劃中, 已计划, 待做, 待修复, 打开"},
		{coord.SourceActive, "进行中, 進行中, 正在进行, 开发中, 開發中, 处理中, 處理中, 审核中, 审查中, 评审中, 实施中, 测试中, 已开始"},
		{coord.SourcePartial, "部分完成, 部分, 基本完成, 部分实现, 大部分完成, 接近完成"},
		{coord.SourceBlocked, "阻塞, 被阻塞, 受阻, 已阻塞, 等待, 等待中, 卡住, 依赖"},
		{coord.SourceParked, "延后, 延後, 推迟, 推遲, 暂缓, 暫緩, 搁置, 擱置, 暂停, 以后, 已推迟, 已暂停, 待后续"},
		{coord.SourceDone, "已完成, 完成, 已解决, 已解決, 已修复, 已修復, 已关闭, 已關閉, 已实现, 已實現, 已合并, 已合併, 已发布, 已上线, 已交付, 搞定, 已实施"},
		{coord.SourceRejected, "取消, 已取消, 拒绝, 已拒绝, 拒絕, 废弃, 已废弃, 廢棄, 放弃, 已放弃, 不做, 不修复, 无效, 重复, 超出范围"},
		{coord.SourceSuperseded, "已替代, 被替代, 被取代, 已取代, 已迁移到, 替换为, 移至, 已移至"},
		{coord.SourceConsumed, "已归档, 归档, 历史, 已過期, 已过期"},
	},
	sections: []phrases{
		{coord.SourceOpen, "下一步, 后续步骤, 下一步计划, 接下来, 任务, 待办事项, 待办任务, 待解决问题, 剩余工作, 后续工作"},
		{coord.SourceParked, "想法, 未来, 未来计划, 未来工作"},
		{coord.SourceDone, "已完成任务, 已完成改进, 已完成工作, 已完成事项, 更新日志, 完成情况"},
		{coord.SourceRejected, "被拒绝的方案, 非目标, 不做的事"},
	},
	kinds: []sorts{
		{coord.KindLesson, "经验, 经验教训, 教训"},
		{coord.KindFact, "事实, 决定, 决策, 约束"},
		{coord.KindRejected, "被否决的方案, 否决的方案, 已放弃的方案, 放弃的方案"},
		{coord.KindProposal, "规则提案, 规则建议, 规则"},
	},
	criteria: "验收标准, 成功标准, 成功標準, 验收, 完成标准, 完成定义, 图例, 检查清单, 验证, 驗收標準",
	priority: []ranks{
		{coord.PriorityUrgent, "紧急, 緊急"},
		{coord.PriorityHigh, "高, 高优先级"},
		{coord.PriorityNormal, "中, 普通, 中优先级"},
		{coord.PriorityLow, "低, 低优先级"},
	},
	columns: []heads{
		{colID, "编号, 編號, 标识"},
		{colNumber, "序号, 序號"},
		{colTitle, "任务, 任務, 标题, 標題, 名称, 名稱, 描述, 事项, 内容, 功能, 问题, 任务名称"},
		{colStatus, "状态, 狀態"},
		{colProgress, "进度, 進度"},
		{colPriority, "优先级, 優先級, 优先度"},
		{colAfter, "依赖, 依賴, 前置, 前置条件, 依赖项"},
		{colOwner, "负责人, 負責人, 责任人, 执行人"},
	},
	fields: []heads{
		{colStatus, "状态, 狀態, 当前状态"},
		{colPriority, "优先级, 優先級"},
		{colAfter, "依赖, 依賴, 依赖于"},
	},
	plans:     "计划中, 計劃中, 已计划",
	waits:     "依赖于, 依赖, 依賴, 等待, 阻塞于",
	negations: "未, 尚未, 没有, 不",
	limits:    "部分, 试点, 除了, 仅",
}
