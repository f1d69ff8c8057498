// JSON as it leaves the server.

/** A newline at the end: in a terminal, the next prompt of the shell begins on a line of its own. */
export const jsonText = (value: object): string => `${JSON.stringify(value)}\n`

export const jsonResponse = (value: object, { headers: given, ...init }: ResponseInit = {}): Response => {
  const headers = new Headers(given)
  headers.set('content-type', 'application/json')
  return new Response(jsonText(value), { ...init, headers })
}
