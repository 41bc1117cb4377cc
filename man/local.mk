# SPDX-License-Identifier: LGPL-2.1-or-later
dist_man_MANS += \
	%D%/stile.1 \
	%D%/stile-policy.5 \
	%D%/stile-result.5
dist_pkgdata_DATA += %D%/stile-result.schema.json
