// Package plugintemplate holds the plugin that omcbuild writes for somebody
// who starts from nothing: a tool server of one tool, its test, a skill, the
// manifests, a workflow, a README and a licence.
//
// The files lie under files/ at the paths they will have. A file whose name
// ends in .tmpl is a text/template: it is executed with a [Values] and loses
// the suffix; every other file is written as it is. Inside a template,
// {{json .Description}} is a quoted string that suits JSON, TypeScript and
// YAML alike, and {{.Name}} is the bare text. The .gitignore is a .tmpl only
// so that it does not act on this repository. LICENSE is one of the texts under
// licenses/, which are named by their SPDX identifiers.
package plugintemplate

import "embed"

// FS holds the files of the template under files/, as they are stored, and the
// texts of licences under licenses/.
//
//go:embed all:files licenses
var FS embed.FS
