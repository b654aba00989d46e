{{/* Checks that the schema cannot make, or cannot explain in a sentence. */}}
{{- define "codase.validate" -}}
{{- $values := .Values -}}
{{- if not .Values.services }}{{ fail "No service is described: choose a plane with -f presets/suite.yaml or -f presets/platform.yaml." }}{{ end -}}
{{- range .Values.nats.urls }}
{{- if not (hasPrefix "tls://" .) }}{{ fail (printf "nats.urls: %s is in clear text, which services refuse in production. Write tls://…" .) }}{{ end -}}
{{- end -}}
{{- range $name, $service := .Values.services }}
{{- if ne $service.enabled false }}
{{- $at := printf "services.%s" $name -}}
{{- if $service.keysSecret }}
{{- range $service.reaches }}
{{- if not (has . (list "nats" "otlp")) }}{{ fail (printf "%s holds private keys: it may reach nats and otlp, and not %s." $at .) }}{{ end -}}
{{- end -}}
{{- if $service.port }}{{ fail (printf "%s holds private keys: it has no port for callers." $at) }}{{ end -}}
{{- end -}}
{{- if and (eq $service.app "decryptor") (not (and $service.keysSecret $service.passphrasesSecret)) }}
{{- fail (printf "%s needs keysSecret and passphrasesSecret, two Secrets: who reads one alone opens nothing." $at) }}
{{- end -}}
{{- if and $service.keysSecret (eq $service.keysSecret ($service.passphrasesSecret | default "")) }}
{{- fail (printf "%s: keysSecret and passphrasesSecret are the same Secret. Keep them apart: who reads one alone opens nothing." $at) }}
{{- end -}}
{{- if and $service.database (not (has "postgres" $service.reaches)) }}{{ fail (printf "%s has a database and does not reach postgres: add it to reaches." $at) }}{{ end -}}
{{- if $service.database }}
{{- if not (contains "sslmode=verify-full" $service.database.url) }}{{ fail (printf "%s.database.url must have sslmode=verify-full: services refuse clear text in production." $at) }}{{ end -}}
{{- if regexMatch "//[^/@]*:[^/@]*@" $service.database.url }}{{ fail (printf "%s.database.url holds a password: put it into the Secret that passwordSecret names." $at) }}{{ end -}}
{{- end -}}
{{- if and (eq $service.app "platform") (not $service.role) }}{{ fail (printf "%s: say which role of the platform it plays: role." $at) }}{{ end -}}
{{- if and (eq ($service.role | default "") "region") (not $service.region) }}{{ fail (printf "%s: say which region it is: region." $at) }}{{ end -}}
{{- if and ($service.autoscaling).enabled ($service.keda).enabled }}{{ fail (printf "%s: autoscaling and keda are both enabled. One of them decides the number of replicas." $at) }}{{ end -}}
{{- if and (eq $service.app "gateway") (or ($service.autoscaling).enabled ($service.keda).enabled) }}
{{- fail (printf "%s: the platform's rate limits are shared by gateways, more of them do not get more through. Set replicas." $at) }}
{{- end -}}
{{- range $variable, $_ := $service.env }}
{{- if hasKey ($service.files | default dict) $variable }}{{ fail (printf "%s: %s is in env and in files. Give it once." $at $variable) }}{{ end -}}
{{- end -}}
{{- range $variable, $target := dict "TIMESTAMP_URL" "timestamps" "MAIL_URL" "mail" "S3_ENDPOINT" "objects" }}
{{- if and (hasKey ($service.env | default dict) $variable) (not (has $target $service.reaches)) }}
{{- fail (printf "%s has %s and does not reach %s: add it to reaches, and its address to targets.%s." $at $variable $target $target) }}
{{- end -}}
{{- end -}}
{{- if and (hasKey ($service.env | default dict) "S3_ENDPOINT") (not (hasKey ($service.files | default dict) "S3_ACCESS_KEY_ID")) (not (has "credentials" $service.reaches)) }}
{{- fail (printf "%s has no S3_ACCESS_KEY_ID, so its keys come from a workload identity, and it does not reach credentials: add it to reaches, and its address to targets.credentials." $at) }}
{{- end -}}
{{- range $service.reaches }}
{{- $target := get $values.targets . -}}
{{- if and (not $target.pods) (not $target.cidrs) }}{{ fail (printf "%s reaches %s, and targets.%s says neither pods nor cidrs." $at . .) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}
