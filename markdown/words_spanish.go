package markdown

import "coord"

var spanish = language{
	status: []phrases{
		{coord.SourceOpen, "abierto, abierta, pendiente, pendientes, por hacer, sin empezar, no iniciado, no iniciada, no empezado, no hecho, sin hacer, planificado, planeado, listo para empezar"},
		{coord.SourceActive, "en progreso, en curso, en proceso, haciendo, empezado, iniciado, en revisión, en revision, en desarrollo"},
		{coord.SourcePartial, "parcial, parcialmente, parcialmente hecho, parcialmente completado, casi hecho, casi terminado"},
		{coord.SourceBlocked, "bloqueado, bloqueada, bloqueado por, bloqueada por, esperando, en espera de, depende de"},
		{coord.SourceParked, "aplazado, aplazada, pospuesto, pospuesta, en pausa, pausado, en espera, más tarde, mas tarde, algún día, diferido"},
		{coord.SourceDone, "hecho, hecha, terminado, terminada, completado, completada, completo, resuelto, resuelta, cerrado, cerrada, implementado, finalizado, finalizada, arreglado, entregado"},
		{coord.SourceRejected, "rechazado, rechazada, cancelado, cancelada, descartado, descartada, abandonado, obsoleto, obsoleta, inválido, no se hará, fuera de alcance, duplicado"},
		{coord.SourceSuperseded, "reemplazado, reemplazado por, reemplazada por, sustituido, sustituido por, movido a"},
		{coord.SourceConsumed, "archivado, archivada, histórico, consumido"},
	},
	sections: []phrases{
		{coord.SourceOpen, "próximos pasos, proximos pasos, siguientes pasos, siguiente paso, tareas, tareas pendientes, tareas abiertas, por hacer, lo que falta"},
		{coord.SourceParked, "ideas futuras, futuro, quizás"},
		{coord.SourceDone, "tareas completadas, tareas terminadas, archivo, historial"},
		{coord.SourceRejected, "ideas rechazadas, enfoques descartados, fuera de alcance"},
	},
	kinds: []sorts{
		{coord.KindLesson, "lecciones, lecciones aprendidas, aprendizajes"},
		{coord.KindFact, "hechos, decisiones, restricciones"},
		{coord.KindRejected, "enfoques descartados, enfoques rechazados, ideas rechazadas, alternativas descartadas"},
		{coord.KindProposal, "propuestas de reglas, reglas propuestas, reglas"},
	},
	criteria: "criterios, criterios de aceptación, criterios de aceptacion, definición de hecho, definición de terminado, leyenda, verificación, lista de verificación",
	priority: []ranks{
		{coord.PriorityUrgent, "urgente, crítica, crítico"},
		{coord.PriorityHigh, "alta, alto"},
		{coord.PriorityNormal, "media, medio"},
		{coord.PriorityLow, "baja, bajo"},
	},
	columns: []heads{
		{colID, "clave, código"},
		{colTitle, "título, titulo, tarea, descripción, descripcion, qué, nombre, asunto"},
		{colStatus, "estado"},
		{colPriority, "prioridad"},
		{colAfter, "depende de, dependencias"},
		{colOwner, "responsable, quién, asignado, asignado a"},
	},
	fields: []heads{
		{colStatus, "estado"},
		{colPriority, "prioridad"},
		{colAfter, "depende de, dependencias, bloqueado por"},
	},
	introducers: "por, en, el, ver, desde, con, hasta, para",
	waits:       "después de, tras, depende de, bloqueado por, bloqueada por, esperando",
	negations:   "no, aún no, aun no, todavía no, sin",
	limits:      "parcial, parcialmente, salvo, excepto, solo, sólo, pero",
}
