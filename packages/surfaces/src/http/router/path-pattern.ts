// Path patterns with `:name` parameters, for sockets and `Allow`, which the router does not match.
import { tryOr } from '@bridle/kernel/try-or'

export const matchPath = (pattern: string, path: string): Record<string, string> | null => {
  const parts = pattern.split('/')
  const values = path.split('/')
  if (parts.length !== values.length) return null
  const params: Record<string, string> = {}
  for (const [index, part] of parts.entries()) {
    const value = decodedOrNull(values[index] ?? '')
    if (value === null) return null
    if (part.startsWith(':')) params[part.slice(1)] = value
    else if (part !== value) return null
  }
  return params
}

export const decodedOrNull = (text: string): string | null => tryOr(null, () => decodeURIComponent(text))
