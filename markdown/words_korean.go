package markdown

import "coord"

var korean = language{
	status: []phrases{
		{coord.SourceOpen, "미착수, 미완료, 미완, 미해결, 미시작, 시작 전, 대기, 할 일, 예정, 계획, 계획됨, 열림, 준비됨"},
		{coord.SourceActive, "진행, 진행 중, 진행중, 작업 중, 작업중, 검토 중, 검토중, 개발 중, 개발중, 시작됨"},
		{coord.SourcePartial, "부분 완료, 일부 완료, 거의 완료, 부분완료"},
		{coord.SourceBlocked, "차단, 차단됨, 막힘, 블록됨, 대기 중, 대기중"},
		{coord.SourceParked, "보류, 연기, 연기됨, 나중에, 중단, 보류 중, 보류중"},
		{coord.SourceDone, "완료, 완료됨, 완료함, 해결, 해결됨, 해결 완료, 구현 완료, 구현됨, 종료, 닫힘, 수정됨, 수정 완료, 배포됨, 병합됨"},
		{coord.SourceRejected, "거절, 거절됨, 거부, 기각, 취소, 취소됨, 폐기, 폐기됨, 안 함, 하지 않음, 무효, 범위 외, 중복"},
		{coord.SourceSuperseded, "대체됨, 이동됨, 교체됨"},
		{coord.SourceConsumed, "보관됨, 보관, 이력"},
	},
	sections: []phrases{
		{coord.SourceOpen, "다음 단계, 다음 작업, 작업, 작업 목록, 남은 작업, 할일, 할 일 목록, 후속 작업, 열린 이슈"},
		{coord.SourceParked, "아이디어, 향후, 향후 계획, 향후 작업"},
		{coord.SourceDone, "완료된 작업, 완료 작업, 변경 이력"},
		{coord.SourceRejected, "거절된 방안, 비목표, 하지 않을 일"},
	},
	kinds: []sorts{
		{coord.KindLesson, "교훈, 배운 점"},
		{coord.KindFact, "사실, 결정, 결정 사항, 제약"},
		{coord.KindRejected, "기각된 접근, 기각된 방안, 폐기된 방안"},
		{coord.KindProposal, "규칙 제안, 규칙"},
	},
	criteria: "완료 조건, 완료 기준, 인수 조건, 인수 기준, 수용 기준, 범례, 체크리스트, 검증",
	priority: []ranks{
		{coord.PriorityUrgent, "긴급"},
		{coord.PriorityHigh, "높음"},
		{coord.PriorityNormal, "보통, 중간"},
		{coord.PriorityLow, "낮음"},
	},
	columns: []heads{
		{colID, "식별자, 아이디"},
		{colNumber, "번호, 순번"},
		{colTitle, "제목, 작업, 항목, 이름, 내용, 설명, 기능, 과제, 태스크"},
		{colStatus, "상태, 진행 상황, 진행상황, 진행 상태"},
		{colPriority, "우선순위, 중요도"},
		{colAfter, "의존, 의존성, 선행, 선행 작업"},
		{colOwner, "담당, 담당자"},
	},
	fields: []heads{
		{colStatus, "상태, 진행 상태"},
		{colPriority, "우선순위"},
		{colAfter, "의존, 의존성, 선행 작업"},
	},
	waits:     "의존, 선행",
	negations: "미, 안",
	limits:    "일부, 부분, 시범",
}
