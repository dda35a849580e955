package markdown

import "coord"

var french = language{
	status: []phrases{
		{coord.SourceOpen, "ouvert, ouverte, à faire, a faire, en attente de démarrage, pas commencé, non commencé, non démarré, prévu, prévue, planifié, planifiée, pas fait, non fait, non terminé, pas terminé, à venir"},
		{coord.SourceActive, "en cours, commencé, démarré, en révision, en relecture, en développement"},
		{coord.SourcePartial, "partiel, partielle, partiellement, partiellement fait, partiellement terminé, presque fini, presque terminé, en partie"},
		{coord.SourceBlocked, "bloqué, bloquée, bloqué par, bloquée par, en attente de, en attente, dépend de"},
		{coord.SourceParked, "reporté, reportée, différé, différée, en pause, plus tard, un jour, suspendu, suspendue"},
		{coord.SourceDone, "terminé, terminée, terminés, terminées, fait, faite, fini, finie, achevé, achevée, complété, complétée, résolu, résolue, fermé, fermée, livré, livrée, corrigé, corrigée"},
		{coord.SourceRejected, "rejeté, rejetée, refusé, refusée, annulé, annulée, abandonné, abandonnée, obsolète, invalide, hors périmètre, ne sera pas fait, doublon"},
		{coord.SourceSuperseded, "remplacé, remplacée, remplacé par, remplacée par, déplacé vers, déplacée vers"},
		{coord.SourceConsumed, "archivé, archivée, historique, consommé"},
	},
	sections: []phrases{
		{coord.SourceOpen, "prochaines étapes, prochaine étape, étapes suivantes, tâches, tâches ouvertes, tâches restantes, reste à faire, travail restant"},
		{coord.SourceParked, "idées, avenir, peut être"},
		{coord.SourceDone, "tâches terminées, travail terminé, journal"},
		{coord.SourceRejected, "idées rejetées, approches rejetées, non objectifs, hors périmètre"},
	},
	kinds: []sorts{
		{coord.KindLesson, "leçons, leçons apprises, enseignements"},
		{coord.KindFact, "faits, décisions, contraintes"},
		{coord.KindRejected, "approches rejetées, approches écartées, idées rejetées, pistes abandonnées"},
		{coord.KindProposal, "propositions de règles, règles proposées, règles"},
	},
	criteria: "critères, critères d acceptation, définition de terminé, définition de fini, légende, vérification, liste de vérification",
	priority: []ranks{
		{coord.PriorityUrgent, "urgent, urgente, critique"},
		{coord.PriorityHigh, "haute, élevée, haut"},
		{coord.PriorityNormal, "moyenne, normale, moyen"},
		{coord.PriorityLow, "basse, faible, bas"},
	},
	columns: []heads{
		{colID, "clé, identifiant"},
		{colTitle, "titre, tâche, tache, quoi, intitulé, sujet"},
		{colStatus, "statut, état, etat, avancement"},
		{colPriority, "priorité, priorite"},
		{colAfter, "dépend de, dépendances, après"},
		{colOwner, "responsable, qui, assigné, assigné à"},
	},
	fields: []heads{
		{colStatus, "statut, état"},
		{colPriority, "priorité"},
		{colAfter, "dépend de, dépendances, bloqué par, après"},
	},
	introducers: "par, le, dans, voir, depuis, avec, jusqu, pour, sur",
	waits:       "après, dépend de, bloqué par, bloquée par, en attente de",
	negations:   "non, pas, pas encore",
	limits:      "partiel, partiellement, sauf, hormis, seulement, mais",
}
