// A route with the values of its form as a request.
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
