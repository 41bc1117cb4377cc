dist_man_MANS += %D%/stile-policy.5 %D%/stile-result.5
EXTRA_DIST += %D%/stile-result.schema.json
