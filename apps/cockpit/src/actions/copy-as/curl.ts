// A request as a line for a shell.

export interface CurlRequest {
  readonly method: string
  /** Below the address of the server, without a slash at its start. */
  readonly path: string
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string | null
}

export interface CurlOptions {
  readonly serverUrl: string
  /** The line takes the token from the shell: it is never in the text. */
  readonly hasToken: boolean
  readonly tenantId: string | undefined
  readonly isStream?: boolean
}

export const curlText = (
  { method, path, headers = {}, body = null }: CurlRequest,
  { serverUrl, hasToken, tenantId, isStream = false }: CurlOptions,
): string =>
  [
    `curl${isStream ? ' -N' : ''}${method === 'GET' ? '' : ` -X ${method}`} ${quoted(new URL(path, serverUrl).href)}`,
    ...(hasToken ? ['-H "Authorization: Bearer $BRIDLE_TOKEN"'] : []),
    ...(tenantId === undefined ? [] : [`-H ${quoted(`x-fabric-tenant: ${tenantId}`)}`]),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    // curl reads a file where a body begins with @.
    ...(body === null ? [] : [`${body.startsWith('@') ? '--data-raw' : '-d'} ${quoted(body)}`]),
  ].join(' \\\n  ')

/** In single quotes a shell reads nothing but the closing quote. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
