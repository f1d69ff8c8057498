// The secret is set by BRIDLE_SECRET, or generated once by a directory object. It never derives from a token that callers know.

import { configuredSecret } from '@bridle/runners/secrets/configured-secret'
import type { ObjectNamespace } from '@bridle/stores/object/platform-types'
import type { DirectoryStub } from '@bridle/stores/object/remote-directory'
import { toBase64Url } from '@bridle/surfaces/http/access/sealing'

export type SigningSecret = () => Promise<string>

export interface SigningSecretEnv {
  readonly BRIDLE_SECRET?: string
  readonly HARNESS_DIRECTORY: ObjectNamespace<DirectoryStub>
}

/** Cannot be a tenant: ids contain no slash. */
const OBJECT = '/secret'

/** Per isolate. Caches values rather than promises, because a request cannot wait for another request's I/O. */
const cachedSecrets = new WeakMap<ObjectNamespace<DirectoryStub>, string>()

export const signingSecret =
  (env: SigningSecretEnv): SigningSecret =>
  async () => {
    const { HARNESS_DIRECTORY: objects } = env
    const cached = configuredSecret(env) ?? cachedSecrets.get(objects)
    if (cached !== undefined) return cached
    const secret = await objects.get(objects.idFromName(OBJECT)).secret()
    cachedSecrets.set(objects, secret)
    return secret
  }

export const SIGNING_SECRET = 'signing'

export const makeSigningSecret = (): string => toBase64Url(crypto.getRandomValues(new Uint8Array(32)))
