// Checks each redirect like the first URL, and reads no more than the file limit.
import { UPLOAD_BYTES_MAX } from '../limits.ts'
import { joinedBytes } from '../requests/body.ts'
import { mediaTypeOf } from './media-type.ts'

/** 25 MB at 15 Mbit/s, and well within the wait for an answer. */
const FETCH_MS = 15_000
/** Fetched files are buffered until they are stored: eight take up to 200 MB. */
export const FETCHES_AT_ONCE_MAX = 8
/** A shared link redirects once or twice, to a bucket. */
const REDIRECTS_MAX = 3

export interface FetchedFile {
  readonly mimeType: string
  readonly bytes: Uint8Array
}

/** `refused`: a retry fails too. `failed`: a retry may succeed. */
export interface FetchProblem {
  readonly outcome: 'refused' | 'failed'
  readonly problem: string
}

export interface FileFetcher {
  allows(uri: string): boolean
  fetch(uri: string): Promise<FetchedFile | FetchProblem>
}

/** Requests one URL without credentials or redirects. `private_address`: the name resolves to a non-public network. */
export type AddressOpener = (
  url: URL,
  signal: AbortSignal,
) => Promise<Response | 'private_address' | 'name_not_found' | 'unreachable' | 'timeout'>

export interface FileFetcherOptions {
  readonly isAllowed: (url: URL) => boolean
  readonly open: AddressOpener
  readonly timeoutMs?: number
}

export const createFileFetcher = ({ isAllowed, open, timeoutMs = FETCH_MS }: FileFetcherOptions): FileFetcher => {
  let active = 0
  const allows = (uri: string) => URL.canParse(uri) && isAllowed(new URL(uri))
  return {
    allows,
    fetch: async (uri) => {
      if (!allows(uri)) return NOT_ALLOWED
      if (active >= FETCHES_AT_ONCE_MAX) return failed('The server fetches too many files at once. Send it again.')
      active += 1
      const timeout = new AbortController()
      const timer = setTimeout(() => timeout.abort(), timeoutMs)
      try {
        const response = await follow(new URL(uri), isAllowed, (url) => open(url, timeout.signal))
        return 'outcome' in response ? response : await readFile(response, timeout.signal)
      } catch {
        // The connection broke or timed out. Drop its error, which may quote the URL.
        return UNREACHABLE
      } finally {
        clearTimeout(timer)
        timeout.abort()
        active -= 1
      }
    },
  }
}

const follow = async (
  first: URL,
  isAllowed: (url: URL) => boolean,
  open: (url: URL) => ReturnType<AddressOpener>,
): Promise<Response | FetchProblem> => {
  let url = first
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
    if (!isAllowed(url)) return NOT_ALLOWED
    if (url.username !== '' || url.password !== '') return refused('Send an address without a name and a password.')
    const response = await open(url)
    if (response === 'private_address') return refused('The address leads to a network that is not public.')
    if (typeof response === 'string') return UNREACHABLE
    const { status } = response
    if (status === 200) return response
    await response.body?.cancel()
    if (status >= 500 || status === 408 || status === 429) return failed(`The server of the file answers ${status}.`)
    const location = REDIRECTS.has(status) ? response.headers.get('location') : null
    if (location === null) return refused(`The server of the file answers ${status}.`)
    if (!URL.canParse(location, url)) return NOT_ALLOWED
    url = new URL(location, url)
  }
  return refused(`The address redirects more than ${REDIRECTS_MAX} times.`)
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])

const readFile = async (response: Response, signal: AbortSignal): Promise<FetchedFile | FetchProblem> => {
  const { headers, body } = response
  const encoding = headers.get('content-encoding') ?? 'identity'
  const isCompressed = encoding !== 'identity'
  if (isCompressed || Number(headers.get('content-length') ?? 0) > UPLOAD_BYTES_MAX) {
    await body?.cancel()
    return isCompressed ? refused('The server of the file sends it compressed.') : TOO_LARGE
  }
  const chunks: Uint8Array[] = []
  let size = 0
  const reader = body?.getReader()
  const stop = () => void reader?.cancel().catch(() => {})
  signal.addEventListener('abort', stop)
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true }
    if (signal.aborted) return UNREACHABLE
    if (done || !value) break
    size += value.byteLength
    if (size > UPLOAD_BYTES_MAX) return TOO_LARGE
    chunks.push(value)
  }
  if (size === 0) return refused('The file is empty.')
  const mimeType = mediaTypeOf(headers.get('content-type')) ?? 'application/octet-stream'
  return { mimeType, bytes: joinedBytes(chunks, size) }
}

const refused = (problem: string): FetchProblem => ({ outcome: 'refused', problem })
const failed = (problem: string): FetchProblem => ({ outcome: 'failed', problem })
const NOT_ALLOWED = refused('The address leads to a host that the operator does not allow.')
const TOO_LARGE = refused(`The file is larger than ${UPLOAD_BYTES_MAX} bytes.`)
const UNREACHABLE = failed('The server of the file could not be reached in time. Send it again.')
