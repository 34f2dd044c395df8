package watch

import (
	"errors"
	"io/fs"

	"github.com/fsnotify/fsnotify"
)

// notifier tells of events in folders. Folders are added by their real paths.
type notifier interface {
	add(folder string) error
	remove(folder string)
	events() <-chan fsnotify.Event
	errors() <-chan error
	close()
}

// system is the notifier of the system.
type system struct{ *fsnotify.Watcher }

func openNotifier() (notifier, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	return system{w}, nil
}

func (s system) add(folder string) error       { return s.Add(folder) }
func (s system) remove(folder string)          { _ = s.Remove(folder) } // it may be gone already
func (s system) events() <-chan fsnotify.Event { return s.Events }
func (s system) errors() <-chan error          { return s.Errors }
func (s system) close()                        { _ = s.Close() }

// passing reports whether a folder could not be added because of itself: it
// has gone since, or may not be read. The looks at all files cover it.
func passing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)
}
