package lint

import "omcbuild/internal/diag"

func serverVersionMissing() rule[*offer] {
	return rule[*offer]{
		code: "server-version-missing", level: diag.Error,
		meaning: "serverInfo.version is missing or no string; the client refuses such a server",
		find: func(o *offer, report reporter) {
			if o.Surface.ServerVersion == "" {
				report.in("", "give the server the version of package.json, by a define of the build", "serverInfo.version is missing")
			}
		},
	}
}

func serverVersionUnequal() rule[*offer] {
	return rule[*offer]{
		code: "server-version-unequal", level: diag.Warning,
		meaning: "serverInfo.version is not the plugin's version, so reports of users name the wrong one",
		find: func(o *offer, report reporter) {
			if version := o.Surface.ServerVersion; version != "" && o.Version != "" && version != o.Version {
				report.in("", "set it from package.json, by a define of the build", "serverInfo.version is %q, the plugin's version is %q", version, o.Version)
			}
		},
	}
}
