// A Worker cannot see which IP address a name resolves to, so it fetches only from hosts that the operator lists.
import type { OpenHarnessOptions } from '@bridle/surfaces/http/router/openharness-options'
import { parseFetchOrigins } from '@bridle/surfaces/http/uploads/fetch-origins'
import { createFileFetcher, type FileFetcher } from '@bridle/surfaces/http/uploads/file-fetcher'

export const workerFileFetcher = (
  { fetch: origins = [] }: OpenHarnessOptions = {},
  fetchUrl: (url: string, init: RequestInit) => Promise<Response> = (url, init) => fetch(url, init),
): FileFetcher | null => {
  if (origins.length === 0) return null
  return createFileFetcher({
    isAllowed: parseFetchOrigins(origins, { wildcards: false }),
    open: async (url, signal) => {
      const headers = { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'bridle' }
      const { body, status, headers: received } = await fetchUrl(url.href, { redirect: 'manual', headers, signal })
      const kept = new Headers(received)
      // The platform has already decompressed the body.
      kept.delete('content-encoding')
      kept.delete('content-length')
      return new Response(body, { status, headers: kept })
    },
  })
}
