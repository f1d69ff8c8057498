import type { UploadGrant } from '@bridle/wire/http/wire'
import { errorFromResponse, type FabricError } from '../http/error.ts'
import { type UploadContent, type UploadOptions, uploadRequest } from '../http/upload.ts'
import { headersOf, httpOf, placeOf, reach, type SocketCredentials } from '../socket/endpoint.ts'
import { HarnessError } from './error.ts'

export const uploadToServer = async (
  credentials: SocketCredentials,
  content: UploadContent,
  options: UploadOptions,
): Promise<UploadGrant> => {
  const { filename, init } = uploadRequest(content, options)
  // Keep the socket's query, which may contain the tenant.
  const url = httpOf(credentials.url)
  url.pathname = `${placeOf(url).prefix}/files`
  if (filename) url.searchParams.set('filename', filename)
  try {
    const response = await reach(fetch(url, { ...init, headers: { ...headersOf(credentials), ...init.headers } }))
    if (!response.ok) throw await errorFromResponse(response)
    return (await response.json()) as UploadGrant
  } catch (cause) {
    const { type, message } = cause as FabricError
    throw new HarnessError(type ?? 'server', message, { cause })
  }
}
