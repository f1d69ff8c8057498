// The secret that tickets and the tokens of runs, sandboxes and credentials are made with. An operator gives it as BRIDLE_SECRET;
// otherwise one object of the directory makes it once and keeps it. No part of it comes from a token that callers know.

import { configuredSecret } from '@bridle/runners/secrets/configured-secret'
import type { ObjectNamespace } from '@bridle/stores/object/platform-types'
import type { DirectoryStub } from '@bridle/stores/object/remote-directory'
import { toBase64Url } from '@bridle/surfaces/http/access/sealing'

export type SigningSecret = () => Promise<string>

export interface SigningSecretEnv {
  readonly BRIDLE_SECRET?: string
  readonly HARNESS_DIRECTORY: ObjectNamespace<DirectoryStub>
}

/** No tenant has this name: a slash is not part of any id. */
const OBJECT = '/secret'

/** The secrets of this isolate. Values, not promises: one request cannot wait for the I/O of another. */
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

/** The secret's name in the storage of its object. */
export const SIGNING_SECRET = 'signing'

export const makeSigningSecret = (): string => toBase64Url(crypto.getRandomValues(new Uint8Array(32)))
