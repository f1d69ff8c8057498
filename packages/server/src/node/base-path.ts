// Path prefix under which an app serves a harness. Routes see paths without it; links and log lines include it.
import { ServerFault } from '@bridle/system/server-fault'

export const parseBasePath = (basePath = ''): string => {
  const path = basePath.replace(/\/+$/, '')
  const isPath = /^(?:\/[\w.~-]+)*$/.test(path) && !/\/\.{1,2}(?:\/|$)/.test(path)
  if (!isPath)
    throw new ServerFault('base_path_invalid', `basePath must look like "/bridle"; it is ${JSON.stringify(basePath)}.`)
  return path
}

/** Null if the path is outside of the base path. */
export const belowBasePath = (url: string, basePath: string): string | null => {
  if (!url.startsWith(basePath)) return null
  const rest = url.slice(basePath.length)
  if (rest.startsWith('/')) return rest
  return basePath !== '' && (rest === '' || rest.startsWith('?')) ? `/${rest}` : null
}

export const withBasePath = (url: string, basePath: string): string => {
  const { origin } = new URL(url)
  return `${origin}${basePath}${url.slice(origin.length)}`
}

export const withoutBasePath = (request: Request, basePath: string): Request | null => {
  if (basePath === '') return request
  const { origin, pathname, search } = new URL(request.url)
  const path = belowBasePath(`${pathname}${search}`, basePath)
  if (path === null) return null
  const { method, body, signal } = request
  const headers = new Headers(request.headers)
  const outer = headers.get('x-forwarded-prefix')?.replace(/\/$/, '') ?? ''
  headers.set('x-forwarded-prefix', `${outer}${basePath}`)
  return new Request(`${origin}${path}`, { method, headers, signal, ...(body && { body, duplex: 'half' }) })
}
