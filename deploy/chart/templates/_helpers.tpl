{{/* The templates in this file take a dict: "root", "name" (of the service) and "service" (its values with the defaults). */}}
{{- define "codase.fullname" -}}{{ printf "%s-%s" .root.Release.Name .name | trunc 63 | trimSuffix "-" }}{{- end }}

{{- define "codase.selector" -}}
app.kubernetes.io/name: {{ .name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- end }}

{{- define "codase.labels" -}}
{{ include "codase.selector" . }}
app.kubernetes.io/part-of: company-data-service
app.kubernetes.io/component: {{ .service.app }}
app.kubernetes.io/version: {{ .root.Values.global.image.tag | default .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{/* The image of an app: by its digest when one is set, otherwise by its tag. */}}
{{- define "codase.image" -}}
{{- $image := .root.Values.global.image -}}
{{- $digest := get ($image.digest | default dict) .service.app -}}
{{- if $digest -}}{{ $image.registry }}/{{ .service.app }}@{{ $digest }}
{{- else -}}{{ $image.registry }}/{{ .service.app }}:{{ $image.tag | default .root.Chart.AppVersion }}{{- end -}}
{{- end }}

{{/* The settings that all pods have, those of services and of jobs. */}}
{{- define "codase.podSettings" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .root.Values.global.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "codase.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* The files with secrets, each by the name of its setting: {VARIABLE: {secret | configMap, key}}. */}}
{{- define "codase.files" -}}
{{- $values := .root.Values -}}
{{- $files := dict -}}
{{- if has "nats" .service.reaches }}
{{- $_ := set $files "NATS_PASSWORD" (dict "secret" .service.natsSecret.name "key" .service.natsSecret.key) -}}
{{- with $values.nats.tls.caSecret.name }}{{ $_ := set $files "NATS_CA" (dict "secret" . "key" $values.nats.tls.caSecret.key) }}{{ end -}}
{{- with $values.nats.tls.clientSecret }}
{{- $_ := set $files "NATS_CERT" (dict "secret" . "key" "tls.crt") -}}
{{- $_ := set $files "NATS_KEY" (dict "secret" . "key" "tls.key") -}}
{{- end -}}
{{- end -}}
{{- if .service.database }}
{{- $_ := set $files "DATABASE_PASSWORD" (dict "secret" .service.database.passwordSecret.name "key" .service.database.passwordSecret.key) -}}
{{- end -}}
{{- if has "postgres" .service.reaches }}
{{- with $values.postgres.tls.caSecret.name }}{{ $_ := set $files "DATABASE_CA" (dict "secret" . "key" $values.postgres.tls.caSecret.key) }}{{ end -}}
{{- end -}}
{{- range $variable, $from := .service.files }}{{ $_ := set $files $variable $from }}{{ end -}}
{{ toJson $files }}
{{- end }}

{{- define "codase.env" -}}
- { name: OTEL_SERVICE_NAME, value: {{ .name | quote }} }
- name: POD_NAME
  valueFrom: { fieldRef: { fieldPath: metadata.name } }
- name: POD_NAMESPACE
  valueFrom: { fieldRef: { fieldPath: metadata.namespace } }
- name: OTEL_RESOURCE_ATTRIBUTES
  value: "service.instance.id=$(POD_NAME),k8s.pod.name=$(POD_NAME),k8s.namespace.name=$(POD_NAMESPACE)"
{{- if and .root.Values.otlp.endpoint (has "otlp" .service.reaches) }}
- { name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ .root.Values.otlp.endpoint | quote }} }
- { name: OTEL_METRICS_EXPORTER, value: {{ ternary "otlp" "none" .root.Values.otlp.metrics | quote }} }
- { name: OTEL_LOGS_EXPORTER, value: {{ ternary "otlp" "none" .root.Values.otlp.logs | quote }} }
{{- end }}
{{- if has "nats" .service.reaches }}
- { name: NATS_URL, value: {{ join "," .root.Values.nats.urls | quote }} }
- { name: NATS_USER, value: {{ .service.natsUser | default .name | quote }} }
- { name: NATS_TLS_HANDSHAKE, value: {{ .root.Values.nats.tls.handshake | quote }} }
{{- end }}
{{- with .service.role }}
- { name: PLATFORM_ROLES, value: {{ . | quote }} }
{{- end }}
{{- with .service.region }}
- { name: REGION, value: {{ . | quote }} }
{{- end }}
{{- with .service.database }}
- { name: DATABASE_URL, value: {{ .url | quote }} }
{{- end }}
{{- range $variable, $_ := include "codase.files" . | fromJson }}
- { name: {{ $variable }}_FILE, value: /run/secrets/codase/{{ $variable }} }
{{- end }}
{{- range $variable, $value := .service.env }}
- { name: {{ $variable }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}

{{/* Root owns the files, and the group that only this pod's user has can read them: a process that is not root cannot read 0400. */}}
{{- define "codase.secretsVolume" -}}
- name: {{ .volume }}
  projected:
    defaultMode: 0440
    sources:
      {{- range $variable, $from := include "codase.files" . | fromJson }}
      {{- if $from.configMap }}
      - configMap: { name: {{ $from.configMap }}, items: [{ key: {{ $from.key | quote }}, path: {{ $variable }} }] }
      {{- else }}
      - secret: { name: {{ $from.secret }}, items: [{ key: {{ $from.key | quote }}, path: {{ $variable }} }] }
      {{- end }}
      {{- end }}
{{- end }}

{{/* The egress rule of a network policy for one of `targets`. It takes a dict: "target" and "protocols". */}}
{{- define "codase.egress" -}}
- to:
    {{- with .target.pods }}
    - namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: {{ .namespace }} } }
      podSelector:
        matchLabels: {{- toYaml .labels | nindent 10 }}
    {{- end }}
    {{- $except := .target.except | default list }}
    {{- range $cidr := .target.cidrs }}
    - ipBlock:
        cidr: {{ $cidr | quote }}
        {{- $family := contains ":" $cidr }}
        {{- $parts := list }}
        {{- range $except }}{{ if eq (contains ":" .) $family }}{{ $parts = append $parts . }}{{ end }}{{ end }}
        {{- with $parts }}
        except: {{- toYaml . | nindent 10 }}
        {{- end }}
    {{- end }}
  ports:
    {{- range $port := .target.ports }}
    {{- range $protocol := $.protocols }}
    - { protocol: {{ $protocol }}, port: {{ $port }} }
    {{- end }}
    {{- end }}
{{- end }}
