package release

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"

	"omcbuild/internal/analysis"
)

// Names of the files that are made for a package.
const (
	NoticesFile = "THIRD_PARTY_NOTICES.txt" // licence texts of the packages in the bundles
	BillFile    = "sbom.cdx.json"           // the bill of materials
)

// billVersion is the version of CycloneDX that bills are written in: the one that is a
// standard, ECMA-424, and that most readers know.
const billVersion = cdx.SpecVersion1_6

// Bill is what a bill of materials is written from.
type Bill struct {
	Identity  Identity
	NpmName   string // under which npm publishes the plugin; "" when it does not
	Inventory *analysis.Inventory
	Built     []File    // what was built, as it is in the package
	Tool      string    // version of omcbuild
	Time      time.Time // that the bill says it was made at; zero for none
}

// Encode returns the bill as CycloneDX in JSON. The same bill gives the same bytes: its
// serial number is made from its contents.
//
// The plugin is the main component, with the files that were built. Each package in
// them is a component with its licence as declared, the digest of its archive where a
// lockfile has it, and what it imports. What it carried in its own files is a component
// inside it; whether there is more is not known, and the bill says so. Packages that
// stay imports are optional components without a version.
func (b Bill) Encode() ([]byte, error) {
	bom := cdx.NewBOM()
	main := b.plugin()
	bom.Metadata = &cdx.Metadata{
		Lifecycles: &[]cdx.Lifecycle{{Phase: cdx.LifecyclePhaseBuild}},
		Tools:      &cdx.ToolsChoice{Components: &[]cdx.Component{{Type: cdx.ComponentTypeApplication, Name: "omcbuild", Version: b.Tool}}},
		Component:  &main,
	}
	if !b.Time.IsZero() {
		bom.Metadata.Timestamp = b.Time.UTC().Format(time.RFC3339)
	}
	components, relations, unknown := []cdx.Component{}, []cdx.Dependency{b.direct(main.BOMRef)}, []cdx.BOMReference{}
	for _, m := range b.Inventory.Materials {
		components = append(components, component(m))
		relations = append(relations, cdx.Dependency{Ref: reference(m), Dependencies: b.references(m.Needs)})
		unknown = append(unknown, cdx.BOMReference(reference(m)))
	}
	for _, name := range b.Inventory.Externals {
		c := named(name, "")
		c.BOMRef, c.Scope, c.PackageURL = external(name), cdx.ScopeOptional, npmURL(name, "")
		components = append(components, c)
		relations = append(relations, cdx.Dependency{Ref: c.BOMRef})
	}
	bom.Components, bom.Dependencies = &components, &relations
	if len(unknown) > 0 {
		bom.Compositions = &[]cdx.Composition{{Aggregate: cdx.CompositionAggregateUnknown, Assemblies: &unknown}}
	}
	unnumbered, err := encodeBill(bom)
	if err != nil {
		return nil, err
	}
	bom.SerialNumber = serialOf(unnumbered)
	return encodeBill(bom)
}

func encodeBill(bom *cdx.BOM) ([]byte, error) {
	var out bytes.Buffer
	if err := cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).SetEscapeHTML(false).EncodeVersion(bom, billVersion); err != nil {
		return nil, fmt.Errorf("writing the bill of materials: %w", err)
	}
	return out.Bytes(), nil
}

// serialOf makes a UUID of version 8, whose bits are ours to choose, from a text.
func serialOf(text []byte) string {
	sum := sha256.Sum256(text)
	sum[6], sum[8] = sum[6]&0x0f|0x80, sum[8]&0x3f|0x80
	id := hex.EncodeToString(sum[:16])
	return "urn:uuid:" + strings.Join([]string{id[:8], id[8:12], id[12:16], id[16:20], id[20:]}, "-")
}

// plugin is the main component.
func (b Bill) plugin() cdx.Component {
	id := b.Identity
	c := cdx.Component{Type: cdx.ComponentTypeApplication, Name: id.Name, Version: id.Version, Description: id.Description, Licenses: licences(analysis.Declared(id.License))}
	if c.PackageURL = genericURL(id); b.NpmName != "" {
		c.PackageURL = npmURL(b.NpmName, id.Version)
	}
	c.BOMRef = c.PackageURL
	if id.Author.Name != "" {
		c.Authors = &[]cdx.OrganizationalContact{{Name: id.Author.Name, Email: id.Author.Email}}
	}
	var links []cdx.ExternalReference
	for _, link := range []cdx.ExternalReference{{Type: cdx.ERTypeVCS, URL: id.Repository}, {Type: cdx.ERTypeWebsite, URL: id.Homepage}, {Type: cdx.ERTypeSupport, URL: id.Support}} {
		if link.URL != "" {
			links = append(links, link)
		}
	}
	if links != nil {
		c.ExternalReferences = &links
	}
	files := []cdx.Component{}
	for _, f := range b.Built {
		files = append(files, cdx.Component{Type: cdx.ComponentTypeFile, BOMRef: "file:" + escaped(f.Path, "/"), Name: f.Path, Hashes: &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: SumOf("", f.Contents).Digest}}})
	}
	if len(files) > 0 {
		c.Components = &files
	}
	return c
}

// direct is what the plugin's own files import.
func (b Bill) direct(ref string) cdx.Dependency {
	list := *cmp.Or(b.references(b.Inventory.Direct), &[]string{})
	for _, name := range b.Inventory.Externals {
		list = append(list, external(name))
	}
	return cdx.Dependency{Ref: ref, Dependencies: &list}
}

// references are those of materials, or nil.
func (b Bill) references(keys []string) *[]string {
	var list []string
	for _, key := range keys {
		if m := b.Inventory.Find(key); m != nil {
			list = append(list, reference(m))
		}
	}
	if list == nil {
		return nil
	}
	return &list
}

// component is one package in the bundles.
func component(m *analysis.Material) cdx.Component {
	c := named(m.Name, m.Version)
	c.BOMRef, c.Scope, c.Description, c.Licenses = reference(m), cdx.ScopeRequired, m.About.Description, licences(m.License)
	if !m.Linked {
		c.PackageURL = npmURL(m.Name, m.Version)
	}
	if algorithm, digest, ok := digestOf(m.Integrity); ok {
		c.Hashes = &[]cdx.Hash{{Algorithm: algorithm, Value: digest}}
	}
	in := []cdx.Property{}
	for _, file := range m.In {
		in = append(in, cdx.Property{Name: "omcbuild:in", Value: file})
	}
	c.Properties = &in
	inside := []cdx.Component{}
	for _, carried := range m.Carries {
		one := named(carried.Name, carried.Version)
		one.PackageURL = npmURL(carried.Name, carried.Version)
		one.BOMRef = c.BOMRef + "#" + one.PackageURL
		inside = append(inside, one)
	}
	if len(inside) > 0 {
		c.Components = &inside
	}
	return c
}

// named is a component with its name; a scope is its group.
func named(name, version string) cdx.Component {
	c := cdx.Component{Type: cdx.ComponentTypeLibrary, Name: name, Version: version}
	if scope, inside, scoped := strings.Cut(name, "/"); scoped {
		c.Group, c.Name = scope, inside
	}
	return c
}

// reference is how relations name a material. What is linked in is on no registry.
func reference(m *analysis.Material) string {
	if m.Linked {
		return "linked:" + escaped(m.Key(), "/@")
	}
	return npmURL(m.Name, m.Version)
}

func external(name string) string { return "external:" + escaped(name, "/@") }

// licences says in the words of the specification what a package declares.
func licences(l analysis.License) *cdx.Licenses {
	declared := cdx.LicenseAcknowledgementDeclared
	switch {
	case l.ID() != "":
		return &cdx.Licenses{{License: &cdx.License{ID: l.ID(), Acknowledgement: declared}}}
	case l.Expression != "":
		return &cdx.Licenses{{Expression: l.Expression, Acknowledgement: &declared}}
	case l.Written != "":
		return &cdx.Licenses{{License: &cdx.License{Name: l.Written, Acknowledgement: declared}}}
	}
	return nil
}

// digestOf reads a digest as lockfiles write it, "sha512-" and Base64.
func digestOf(integrity string) (algorithm cdx.HashAlgorithm, digest string, ok bool) {
	name, text, _ := strings.Cut(integrity, "-")
	known := map[string]struct {
		algorithm cdx.HashAlgorithm
		bytes     int
	}{"sha256": {cdx.HashAlgoSHA256, 32}, "sha384": {cdx.HashAlgoSHA384, 48}, "sha512": {cdx.HashAlgoSHA512, 64}}[name]
	sum, err := base64.StdEncoding.DecodeString(text)
	return known.algorithm, hex.EncodeToString(sum), err == nil && known.bytes > 0 && len(sum) == known.bytes
}

// npmURL names a package of npm for those who look for what is known about it.
func npmURL(name, version string) string { return "pkg:npm/" + urlName(strings.ToLower(name), version) }

// genericURL names what is on no registry. A plugin may be called like a package of npm
// that has nothing to do with it.
func genericURL(id Identity) string {
	url := "pkg:generic/" + urlName(id.Name, id.Version)
	if id.Repository != "" {
		url += "?vcs_url=" + escaped("git+"+strings.TrimPrefix(id.Repository, "git+"), "/:")
	}
	return url
}

func urlName(name, version string) string {
	if version == "" {
		return escaped(name, "/")
	}
	return escaped(name, "/") + "@" + escaped(version, "")
}

// escaped replaces all bytes that a package URL has a use for, but those that stay.
func escaped(text, stay string) string {
	var out strings.Builder
	for _, c := range []byte(text) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~"+stay, c) >= 0 {
			out.WriteByte(c)
		} else {
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	return out.String()
}
