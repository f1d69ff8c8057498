// A route with the values of its form as a request, and the same as a line for a shell.
import type { ApiRoute } from './route.ts'

export interface RouteForm {
  /** By `place name`. */
  readonly parameters: { readonly [key: string]: string }
  readonly body: string
}

export interface RouteRequest {
  readonly method: string
  /** Below the address of the server, without a slash at its start. */
  readonly path: string
  readonly headers: { readonly [name: string]: string }
  readonly body: string | null
}

export const parameterKey = ({ place, name }: { readonly place: string; readonly name: string }): string =>
  `${place} ${name}`

/** The request, or a sentence that says what is missing. */
export const routeRequest = (route: ApiRoute, { parameters, body }: RouteForm): RouteRequest | string => {
  const given = (parameter: ApiRoute['parameters'][number]): string => parameters[parameterKey(parameter)] ?? ''
  const missing = route.parameters.find((parameter) => parameter.isRequired && given(parameter) === '')
  if (missing) return `“${missing.name}” is required.`
  const query = new URLSearchParams()
  const headers: Record<string, string> = {}
  let path = route.path.replace(/^\//, '')
  for (const parameter of route.parameters) {
    const value = given(parameter)
    if (parameter.place === 'path') path = path.replace(`{${parameter.name}}`, encodeURIComponent(value))
    else if (value !== '' && parameter.place === 'query') query.set(parameter.name, value)
    else if (value !== '') headers[parameter.name.toLowerCase()] = value
  }
  const hasBody = route.body !== null && body.trim() !== ''
  if (hasBody && route.body) {
    const isJson = route.body.contentType === 'application/json'
    if (isJson && !isJsonText(body)) return 'The body is not JSON.'
    headers['content-type'] = isJson ? 'application/json' : 'application/octet-stream'
  }
  return {
    method: route.method,
    path: `${path}${query.size > 0 ? `?${query}` : ''}`,
    headers,
    body: hasBody ? body : null,
  }
}

const isJsonText = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

interface CurlOptions {
  readonly serverUrl: string
  /** The line takes the token from the shell: it is never in the text. */
  readonly hasToken: boolean
  readonly tenantId: string | undefined
  readonly isStream: boolean
}

export const curlText = ({ method, path, headers, body }: RouteRequest, options: CurlOptions): string =>
  [
    `curl${options.isStream ? ' -N' : ''}${method === 'GET' ? '' : ` -X ${method}`} ${quoted(new URL(path, options.serverUrl).href)}`,
    ...(options.hasToken ? ['-H "Authorization: Bearer $BRIDLE_TOKEN"'] : []),
    ...(options.tenantId === undefined ? [] : [`-H ${quoted(`x-fabric-tenant: ${options.tenantId}`)}`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === null ? [] : [`-d ${quoted(body)}`]),
  ].join(' \\\n  ')

/** In single quotes a shell reads nothing but the closing quote. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
