package surface

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"omcbuild/internal/lazyregexp"
	"omcbuild/internal/process"
)

// folder is the world in which one process of a bundle lives: a plugin's folder
// as in the client's cache, a user's project, a home and a place for temporary
// files, all empty but for the plugin.
type folder struct {
	*Temporary
	root    string // its path without symbolic links
	shorten *strings.Replacer
}

// newFolder makes a folder and writes the plugin into it. The caller removes it.
func newFolder(o *ProbeOptions) (*folder, error) {
	f, err := emptyFolder(o.TempDir)
	if err != nil {
		return nil, err
	}
	if err := f.furnish(o); err != nil {
		f.Remove()
		return nil, err
	}
	return f, nil
}

// emptyFolder makes a folder in which the plugin's is still empty.
func emptyFolder(temp string) (_ *folder, err error) {
	temporary, err := NewTemporary(temp, OfProbe)
	if err != nil {
		return nil, err
	}
	f := &folder{Temporary: temporary, root: temporary.Path}
	defer func() {
		if err != nil {
			f.Remove()
		}
	}()
	root := f.root
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	if root, err = filepath.Abs(root); err != nil {
		return nil, err
	}
	f.root = root
	f.shorten = strings.NewReplacer(
		"file://"+f.path("plugin")+"/", "", f.path("plugin")+string(filepath.Separator), "",
		f.path("plugin"), "${CLAUDE_PLUGIN_ROOT}", f.path("project"), "${CLAUDE_PROJECT_DIR}",
		f.path("home"), "~", f.path("tmp"), "${TMPDIR}",
	)
	for _, dir := range folders() {
		if err = os.MkdirAll(f.path(dir), 0o755); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// folders are those that every folder has.
func folders() []string {
	return []string{"plugin", "project", "tmp", "home/.claude/plugins/data/plugin-catalog"}
}

// whole reports whether all of the folder is still there.
func (f *folder) whole() bool {
	return !slices.ContainsFunc(folders(), func(dir string) bool {
		_, err := os.Stat(f.path(dir))
		return err != nil
	})
}

// furnish writes the plugin.
func (f *folder) furnish(o *ProbeOptions) error {
	if o.Tree != "" {
		if err := os.CopyFS(f.path("plugin"), os.DirFS(o.Tree)); err != nil {
			return err
		}
	}
	for file, contents := range o.Extra {
		if err := f.write(file, contents, 0o644); err != nil {
			return err
		}
	}
	if o.Launch != nil && o.Bundle == nil {
		return nil
	}
	return f.write(o.FileName, o.Bundle, 0o755)
}

func (f *folder) path(name string) string { return filepath.Join(f.root, filepath.FromSlash(name)) }

func (f *folder) write(file string, contents []byte, mode os.FileMode) error {
	name := filepath.Join(f.path("plugin"), filepath.FromSlash(file))
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, contents, mode)
}

// command starts the bundle as the client does: node with the file's path, the
// user's project as working directory.
func (f *folder) command(o *ProbeOptions) process.Command {
	env := append(f.variables(o), o.Env...)
	known := map[string]string{}
	for _, variable := range env {
		name, value, _ := strings.Cut(variable, "=")
		known[name] = value
	}
	args := append([]string{filepath.Join(f.path("plugin"), filepath.FromSlash(o.FileName))}, fill(o.Args, known)...)
	program := o.Node
	if o.Launch != nil {
		maps.Copy(known, o.Launch.Values)
		args, env = fill(o.Launch.Args, known), append(env, fill(o.Launch.Env, known)...)
		if o.Launch.Program != "" {
			program = filepath.FromSlash(fill([]string{o.Launch.Program}, known)[0])
		}
	}
	return process.Command{Path: program, Args: args, Dir: f.path("project"), Env: env}
}

// variables are those that the client gives to every server.
func (f *folder) variables(o *ProbeOptions) []string {
	return []string{
		"HOME=" + f.path("home"),
		"USERPROFILE=" + f.path("home"),
		"TMPDIR=" + f.path("tmp"),
		"TEMP=" + f.path("tmp"),
		"TMP=" + f.path("tmp"),
		"PATH=" + filepath.Dir(o.Node) + string(filepath.ListSeparator) + o.Path,
		"CLAUDECODE=1",
		"CLAUDE_CODE_ENTRYPOINT=cli",
		"CLAUDE_PROJECT_DIR=" + f.path("project"),
		"CLAUDE_PLUGIN_ROOT=" + f.path("plugin"),
		"CLAUDE_PLUGIN_DATA=" + f.path("home/.claude/plugins/data/plugin-catalog"),
	}
}

// start is how the bundle is started, here or elsewhere.
func (f *folder) start(o *ProbeOptions, elsewhere bool) (process.Command, error) {
	if elsewhere {
		return f.elsewhere(o, f.command(o))
	}
	return f.command(o), nil
}

// elsewhere changes a command into one that runs in another world, and tells what it looks
// at. In the third world the environment is that of this one.
func (f *folder) elsewhere(o *ProbeOptions, c process.Command) (process.Command, error) {
	preload, err := f.elsewhereFile(o)
	c.Args = append([]string{"--require", preload}, c.Args...)
	if o.third {
		return c, err
	}
	c.Env = append(append(f.variables(o), elsewhereVariables(f)...), c.Env[len(f.variables(o)):]...)
	return c, err
}

var placeholder = lazyregexp.New(`\$\{([\w.-]+)(?::-([^}]*))?\}`)

// fill puts values in the place of placeholders as the client does: ${NAME} without
// a value stays as it is, ${NAME:-text} becomes the text.
func fill(texts []string, known map[string]string) []string {
	filled := make([]string, len(texts))
	for i, text := range texts {
		filled[i] = placeholder.ReplaceAllStringFunc(text, func(written string) string {
			parts := placeholder.FindStringSubmatch(written)
			if value, ok := known[parts[1]]; ok {
				return value
			}
			if strings.Contains(written, ":-") {
				return parts[2]
			}
			return written
		})
	}
	return filled
}

// modulesAbove returns the first node_modules folder in which node would look
// for a module that the bundle in dir asks for, or "".
func modulesAbove(dir string) string {
	for {
		candidate := filepath.Join(dir, "node_modules")
		if info, err := os.Stat(candidate); err == nil && info.IsDir() {
			return candidate
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}
