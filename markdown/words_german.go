package markdown

import "coord"

var german = language{
	status: []phrases{
		{coord.SourceOpen, "offen, geplant, ausstehend, anstehend, nicht begonnen, noch nicht begonnen, nicht gestartet, nicht erledigt, noch nicht erledigt, nicht fertig, noch offen, unerledigt, zu tun, zu erledigen, bereit"},
		{coord.SourceActive, "in arbeit, in bearbeitung, läuft, laufend, begonnen, angefangen, im gange, in prüfung"},
		{coord.SourcePartial, "teilweise, teilweise erledigt, teilweise fertig, größtenteils erledigt, zum teil erledigt, fast fertig, halb fertig"},
		{coord.SourceBlocked, "blockiert, blockiert durch, blockiert von, wartet auf, warten auf, wartet, hängt ab von, abhängig von"},
		{coord.SourceParked, "zurückgestellt, verschoben, aufgeschoben, später, pausiert, geparkt, irgendwann, vertagt"},
		{coord.SourceDone, "erledigt, fertig, abgeschlossen, umgesetzt, behoben, gelöst, geschlossen, fertiggestellt, ausgeliefert, gemacht"},
		{coord.SourceRejected, "abgelehnt, verworfen, abgebrochen, gestrichen, hinfällig, ungültig, wird nicht gemacht, entfällt, zurückgezogen, duplikat"},
		{coord.SourceSuperseded, "ersetzt, ersetzt durch, abgelöst, abgelöst durch, verschoben nach, überholt"},
		{coord.SourceConsumed, "archiviert, historisch, verbraucht"},
	},
	sections: []phrases{
		{coord.SourceOpen, "nächste schritte, nächster schritt, offene punkte, offene aufgaben, aufgaben, als nächstes, noch zu tun, todos, restarbeiten"},
		{coord.SourceParked, "ideen, zukunft, für später, vielleicht"},
		{coord.SourceDone, "erledigte aufgaben, erledigte punkte, abgeschlossene aufgaben, archiv"},
		{coord.SourceRejected, "verworfene ansätze, abgelehnte ideen, nicht ziele, nichtziele"},
	},
	kinds: []sorts{
		{coord.KindLesson, "lektionen, lehren, erkenntnisse, gelerntes, was wir gelernt haben, stolpersteine, fallstricke"},
		{coord.KindFact, "fakten, tatsachen, entscheidungen, getroffene entscheidungen, randbedingungen, festlegungen, befunde"},
		{coord.KindRejected, "verworfene ansätze, verworfen, abgelehnte ansätze, abgelehnte ideen, verworfene ideen, verworfene alternativen, was nicht funktioniert hat, sackgassen, irrwege"},
		{coord.KindProposal, "regelvorschläge, vorgeschlagene regeln, regeln, verbindliche regeln, projektregeln"},
	},
	criteria: "akzeptanzkriterien, abnahmekriterien, kriterien, fertig wenn, prüfliste, legende, abnahme",
	priority: []ranks{
		{coord.PriorityUrgent, "dringend, kritisch"},
		{coord.PriorityHigh, "hoch"},
		{coord.PriorityNormal, "mittel"},
		{coord.PriorityLow, "niedrig, gering"},
	},
	columns: []heads{
		{colID, "kennung, schlüssel, kürzel"},
		{colTitle, "titel, aufgabe, was, beschreibung, thema, punkt, maßnahme, bezeichnung"},
		{colStatus, "stand, zustand"},
		{colPriority, "priorität"},
		{colAfter, "abhängigkeiten, abhängig von, hängt ab von"},
		{colOwner, "verantwortlich, zuständig, wer, bearbeiter"},
	},
	fields: []heads{
		{colStatus, "stand, zustand"},
		{colPriority, "priorität"},
		{colAfter, "abhängig von, hängt ab von, abhängigkeiten, blockiert durch"},
	},
	introducers: "durch, am, im, siehe, seit, mit, von, bis, per, auf",
	plans:       "geplant",
	results:     "bestanden, erfolgreich",
	waits:       "nach, wartet auf, hängt ab von, abhängig von, blockiert durch, blockiert von",
	negations:   "nicht, noch nicht, kein",
	limits:      "teilweise, nur, außer, bis auf, aber, größtenteils",
}
