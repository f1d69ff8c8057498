// How a server on Node fetches attachments: only from the hosts of its options, and never from a private address.
import { checkedRequest } from '../../runners/network/checked-request.ts'
import type { OpenHarnessOptions } from '../../surfaces/http/router/openharness-options.ts'
import { parseFetchOrigins } from '../../surfaces/http/uploads/fetch-origins.ts'
import { createFileFetcher, type FileFetcher } from '../../surfaces/http/uploads/file-fetcher.ts'
import { messageOf, ServerFault } from '../server-fault.ts'

/** Null = the operator allows no host. */
export const fileFetcherOf = ({ fetch = [] }: OpenHarnessOptions = {}): FileFetcher | null => {
  if (fetch.length === 0) return null
  try {
    return createFileFetcher({ isAllowed: parseFetchOrigins(fetch), open: checkedRequest() })
  } catch (error) {
    throw new ServerFault('fetch_invalid', messageOf(error))
  }
}
