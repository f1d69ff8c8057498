// Attachments are fetched only from hosts in the options, and never from a private address.
import { checkedRequest } from '@bridle/runners/network/checked-request'
import type { OpenHarnessOptions } from '@bridle/surfaces/http/router/openharness-options'
import { parseFetchOrigins } from '@bridle/surfaces/http/uploads/fetch-origins'
import { createFileFetcher, type FileFetcher } from '@bridle/surfaces/http/uploads/file-fetcher'
import { messageOf, ServerFault } from '@bridle/system/server-fault'

export const fileFetcherOf = ({ fetch = [] }: OpenHarnessOptions = {}): FileFetcher | null => {
  if (fetch.length === 0) return null
  try {
    return createFileFetcher({ isAllowed: parseFetchOrigins(fetch), open: checkedRequest() })
  } catch (error) {
    throw new ServerFault('fetch_invalid', messageOf(error))
  }
}
