/** Ends with a newline, so that a shell prompt starts on its own line. */
export const jsonText = (value: object): string => `${JSON.stringify(value)}\n`

export const jsonResponse = (value: object, { headers: given, ...init }: ResponseInit = {}): Response => {
  const headers = new Headers(given)
  headers.set('content-type', 'application/json')
  return new Response(jsonText(value), { ...init, headers })
}
