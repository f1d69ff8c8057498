// Event streams and heartbeats are not compressed, nor are artifacts: their strong ETags promise exact bytes.

import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** Below this, headers outweigh the savings. */
const COMPRESSED_BYTES_MIN = 1_024
/** The default of 11 takes a hundred times as long for a tenth less. */
const BROTLI_QUALITY = 4

const encoders = {
  br: (bytes: Uint8Array): Promise<Uint8Array> =>
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (bytes: Uint8Array): Promise<Uint8Array> => promisify(gzip)(bytes),
}
type ContentEncoding = keyof typeof encoders

/** Returns the same object if compression gains nothing. */
export const compressResponse = async (request: Request, response: Response): Promise<Response> => {
  if (!isCompressible(request, response)) return response
  const { status, headers } = response
  headers.append('vary', 'Accept-Encoding')
  const encoding = encodingFor(request.headers.get('accept-encoding'))
  if (encoding === null) return response
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (bytes.byteLength < COMPRESSED_BYTES_MIN) return new Response(bytes, { status, headers })
  headers.set('content-encoding', encoding)
  const packed = await encoders[encoding](bytes)
  return new Response(packed as Uint8Array<ArrayBuffer>, { status, headers })
}

const isCompressible = ({ method }: Request, { headers, body }: Response): boolean =>
  method !== 'HEAD' &&
  body !== null &&
  /^(?:application\/json|image\/svg\+xml|text\/(?:css|html|javascript|plain))\b/.test(
    headers.get('content-type') ?? '',
  ) &&
  !headers.has('content-encoding') &&
  !headers.has('accept-ranges') &&
  !/\bno-transform\b/.test(headers.get('cache-control') ?? '')

const encodingFor = (accepted: string | null): ContentEncoding | null => {
  const weights = new Map<string, number>()
  for (const each of (accepted ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = each.split(';').map((part) => part.trim())
    const weight = parameters.map((parameter) => /^q=([\d.]+)$/.exec(parameter)?.[1]).find((q) => q !== undefined)
    weights.set(name, Number(weight ?? 1))
  }
  const names: readonly ContentEncoding[] = ['br', 'gzip']
  return names.find((name) => (weights.get(name) ?? weights.get('*') ?? 0) > 0) ?? null
}
