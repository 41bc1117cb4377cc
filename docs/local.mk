# SPDX-License-Identifier: LGPL-2.1-or-later
dist_doc_DATA += \
	%D%/GLOSSARY.md \
	%D%/HOWTO-add-a-backend.md \
	%D%/HOWTO-add-a-hook.md \
	%D%/HOWTO-add-an-interpreter.md \
	%D%/INTERNALS.md
