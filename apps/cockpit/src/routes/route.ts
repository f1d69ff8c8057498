// The routes of the OpenAPI document, as the page shows them. References are followed here, once.

export type Schema = { readonly [keyword: string]: unknown }

/** The document, as far as the page reads it. */
interface ApiDocument {
  readonly paths: { readonly [path: string]: { readonly [method: string]: unknown } }
  readonly [name: string]: unknown
}

export interface RouteParameter {
  readonly name: string
  readonly place: 'path' | 'query' | 'header'
  readonly isRequired: boolean
  readonly description: string
  readonly schema: Schema
}

export interface ApiRoute {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly tag: string
  readonly summary: string
  /** The scope that a credential needs; empty = none. */
  readonly scope: string
  readonly parameters: readonly RouteParameter[]
  readonly body: { readonly contentType: string; readonly schema: Schema; readonly example: unknown } | null
  readonly answers: readonly { readonly status: string; readonly description: string }[]
  readonly isStream: boolean
  readonly isSocket: boolean
}

export interface RouteGroup {
  readonly tag: string
  readonly description: string
  readonly routes: readonly ApiRoute[]
}

/** The page sends the credential itself; a token in a field would end up in addresses and screenshots. */
const CREDENTIALS: readonly string[] = ['token', 'ticket', 'tenant', 'x-fabric-tenant']

/** Routes by tag, in the order of the document, sockets last. */
export const routeGroups = (document: ApiDocument): readonly RouteGroup[] => {
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => apiRoute(document, path, method, asObject(operation))),
  )
  const tags = asArray(document.tags).map(asObject)
  const names = [...new Set([...tags.map(({ name }) => textOf(name)), ...routes.map(({ tag }) => tag)])]
  const groups = names.flatMap((tag) => {
    const found = routes.filter((route) => route.tag === tag)
    const description = textOf(tags.find(({ name }) => name === tag)?.description)
    return found.length === 0 ? [] : [{ tag, description, routes: found }]
  })
  // Sockets are here to be read: a form sends none.
  const isSockets = ({ routes: some }: RouteGroup): boolean => some.every(({ isSocket }) => isSocket)
  return [...groups.filter((group) => !isSockets(group)), ...groups.filter(isSockets)]
}

const apiRoute = (document: ApiDocument, path: string, method: string, operation: Schema): ApiRoute => {
  const follow = (value: unknown): Schema => resolved(document, asObject(value))
  const responses = Object.entries(asObject(operation.responses)).map(([status, answer]) => ({
    status,
    answer: follow(answer),
  }))
  const [contentType, content] = Object.entries(asObject(follow(operation.requestBody).content))[0] ?? []
  return {
    id: textOf(operation.operationId) || `${method} ${path}`,
    method: method.toUpperCase(),
    path,
    tag: textOf(asArray(operation.tags)[0]) || 'Other',
    summary: textOf(operation.summary),
    scope: textOf(operation['x-scope']),
    parameters: asArray(operation.parameters)
      .map((parameter) => routeParameter(follow(parameter)))
      .filter(({ name }) => !CREDENTIALS.includes(name.toLowerCase())),
    body:
      contentType === undefined
        ? null
        : { contentType, schema: follow(asObject(content).schema), example: asObject(content).example },
    answers: responses.map(({ status, answer }) => ({ status, description: textOf(answer.description) })),
    isStream: responses.some(({ answer }) => 'text/event-stream' in asObject(answer.content)),
    isSocket: responses.some(({ status }) => status === '101'),
  }
}

const routeParameter = (parameter: Schema): RouteParameter => ({
  name: textOf(parameter.name),
  place: (['path', 'header'] as const).find((place) => place === parameter.in) ?? 'query',
  isRequired: parameter.required === true,
  description: textOf(parameter.description),
  schema: asObject(parameter.schema),
})

/** A reference into the document, `#/components/parameters/tenant`; anything else stays as it is. */
const resolved = (document: ApiDocument, value: Schema): Schema => {
  const reference = value.$ref
  if (typeof reference !== 'string' || !reference.startsWith('#/')) return value
  return asObject(
    reference
      .slice(2)
      .split('/')
      .reduce<unknown>((at, name) => asObject(at)[name.replaceAll('~1', '/').replaceAll('~0', '~')], document),
  )
}

export const asObject = (value: unknown): Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : {}
export const asArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')
