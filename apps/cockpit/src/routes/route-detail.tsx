import { useMemo, useState } from 'react'
import { curlText } from '../actions/copy-as/curl.ts'
import { useServer } from '../server/server-context.tsx'
import { Button } from '../ui/button.tsx'
import { jsonText } from '../ui/code.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { bodyExample } from './body-example.ts'
import { BodyFields } from './body-fields.tsx'
import { ParameterField } from './parameter-field.tsx'
import type { ApiRoute } from './route.ts'
import { RouteAnswerView } from './route-answer.tsx'
import { parameterKey, type RouteRequest, routeRequest } from './route-request.ts'
import { useRouteCall } from './use-route-call.ts'

/** A route: what it takes, a form to send it, and the answer. */
export const RouteDetail = ({ route }: { readonly route: ApiRoute }) => {
  const { options } = useServer()
  const example = useMemo(() => (route.body ? jsonText(bodyExample(route) ?? {}) : ''), [route])
  const [parameters, setParameters] = useState<{ readonly [key: string]: string }>({})
  const [body, setBody] = useState(route.body?.contentType === 'application/json' ? example : '')
  const [problem, setProblem] = useState('')
  const [toConfirm, setToConfirm] = useState<RouteRequest | null>(null)
  const { call, send, stop } = useRouteCall()
  const request = routeRequest(route, { parameters, body })
  const submit = (): void => {
    setProblem(typeof request === 'string' ? request : '')
    if (typeof request === 'string') return
    if (route.method === 'DELETE') setToConfirm(request)
    else void send(request)
  }
  const curl =
    typeof request === 'string'
      ? null
      : curlText(request, {
          serverUrl: options.url,
          hasToken: options.authToken !== undefined,
          tenantId: options.tenantId,
          isStream: route.isStream,
        })
  const headers = route.parameters.filter(({ place }) => place === 'header')
  const fieldsOf = (some: ApiRoute['parameters']) =>
    some.map((parameter) => (
      <ParameterField
        key={parameterKey(parameter)}
        parameter={parameter}
        value={parameters[parameterKey(parameter)] ?? ''}
        onChange={(value) => setParameters((before) => ({ ...before, [parameterKey(parameter)]: value }))}
      />
    ))
  return (
    <div className="route-detail">
      <div>
        <h2 className="row wrap route-name">
          <span className={`method m-${route.method.toLowerCase()}`}>{route.method}</span>
          <span className="mono route-path">{route.path}</span>
          {route.scope !== '' && <span className="tag">{route.scope}</span>}
        </h2>
        <p className="t2">{route.summary}</p>
      </div>
      {route.isSocket ? (
        <p className="t2">
          This is a WebSocket: both sides send JSON messages. Open it at{' '}
          <code className="route-path">
            {/* An address escapes the braces of `{id}`; a reader wants them. */}
            {decodeURI(new URL(route.path.slice(1), options.url).href).replace(/^http/, 'ws')}
          </code>
          .
        </p>
      ) : (
        <form
          className="col route-form"
          noValidate
          onSubmit={(event) => {
            event.preventDefault()
            submit()
          }}
        >
          {fieldsOf(route.parameters.filter(({ place }) => place !== 'header'))}
          {route.body && (
            <label className="col">
              <span className="small t2">Body, {route.body.contentType}</span>
              <textarea
                className="field area mono"
                rows={Math.min(14, Math.max(4, body.split('\n').length + 1))}
                value={body}
                onChange={(event) => setBody(event.target.value)}
              />
            </label>
          )}
          {route.body && <BodyFields schema={route.body.schema} />}
          {headers.length > 0 && (
            <details>
              <summary className="small t2">Headers</summary>
              <div className="col route-form route-more">{fieldsOf(headers)}</div>
            </details>
          )}
          {problem !== '' && (
            <p className="danger" role="alert">
              {problem}
            </p>
          )}
          <div className="row">
            <Button type="submit" look={route.method === 'DELETE' ? 'no' : 'primary'} icon="send">
              {route.isStream ? 'Open the stream' : 'Send'}
            </Button>
            {curl !== null && <CopyButton text={curl} label="Copy as curl" />}
          </div>
        </form>
      )}
      <RouteAnswerView call={call} onStop={stop} />
      <details>
        <summary className="small t2">Answers</summary>
        <dl className="route-answers small">
          {route.answers.map(({ status, description }) => (
            <div key={status}>
              <dt className="num t2">{status}</dt>
              <dd className="t3">{description}</dd>
            </div>
          ))}
        </dl>
      </details>
      {toConfirm && (
        <Dialog title="Send a request that erases?" onClose={() => setToConfirm(null)}>
          <div className="dialog-b">
            <p>{route.summary}. This cannot be undone.</p>
            <code className="route-path">
              {toConfirm.method} /{toConfirm.path}
            </code>
            <div className="row">
              <Button
                look="no"
                onClick={() => {
                  setToConfirm(null)
                  void send(toConfirm)
                }}
              >
                Erase
              </Button>
              <Button look="ghost" onClick={() => setToConfirm(null)}>
                Keep
              </Button>
            </div>
          </div>
        </Dialog>
      )}
    </div>
  )
}
