package api

import (
	"context"

	"coord"
)

func noteRoutes() []route {
	return []route{
		work("/attempts/{attempt}/notes", "add-note", "Add a note, late or not", serve(addNote)),
	}
}

func addNote(ctx context.Context, s coord.Service, key coord.Key, in *attemptCommand[coord.AddNote]) (coord.Note, error) {
	c := in.Body
	c.Key, c.Attempt = key, in.Attempt
	return s.AddNote(ctx, c)
}
