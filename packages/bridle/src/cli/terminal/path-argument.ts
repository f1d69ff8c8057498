// The file that a call is about. Its name stands at the end of a long path, so a row keeps that end.

/** The path with folders among the arguments of a call; null = it has none. */
export const pathArgument = (args: unknown): string | null => {
  if (typeof args !== 'object' || args === null) return null
  const { file_path: file, path = file } = args as { readonly file_path?: unknown; readonly path?: unknown }
  return typeof path === 'string' && path.includes('/') ? path : null
}
