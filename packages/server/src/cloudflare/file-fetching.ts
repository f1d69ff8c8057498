// How a Worker fetches attachments. A Worker does not learn the address that a name has, so it asks only hosts that its operator
// names one by one; the platform itself keeps Workers out of private networks.
import type { OpenHarnessOptions } from '@bridle/surfaces/http/router/openharness-options'
import { parseFetchOrigins } from '@bridle/surfaces/http/uploads/fetch-origins'
import { createFileFetcher, type FileFetcher } from '@bridle/surfaces/http/uploads/file-fetcher'

/** Null = the operator allows no host. */
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
      // The platform has decompressed the body already.
      kept.delete('content-encoding')
      kept.delete('content-length')
      return new Response(body, { status, headers: kept })
    },
  })
}
