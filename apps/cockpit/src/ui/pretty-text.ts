/** JSON with indents; any other text as it is, also one that says it is JSON and is not. */
export const prettyText = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
