package bundler

// Stamp records what a bundle was made from.
type Stamp struct {
	ToolVersion string `json:"toolVersion"`
}

// UpToDate reports whether building again would give the same outputs as are on
// disk; if not, the reason says what changed.
func (s *Stamp) UpToDate(root string, o Options) (bool, string) {
	return false, "not recorded"
}

func (b *build) stamp(r *Result, c *collection) *Stamp { return &Stamp{ToolVersion: b.o.ToolVersion} }
