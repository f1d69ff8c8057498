// Whether a session exists, asked from outside of its object.
import type { Key } from '../../../kernel/event.ts'
import type { ObjectNamespace } from '../../../stores/object/platform-types.ts'
import type { RemoteDirectory } from '../../../stores/object/remote-directory.ts'
import { forwardToObject, observerOf } from './forwarded-request.ts'

/** A directory that was lost does not know its sessions yet, so a session that it does not know is asked itself. */
export const sessionFinder =
  (objects: ObjectNamespace, directory: Pick<RemoteDirectory, 'find' | 'home'>) =>
  async (key: Key): Promise<boolean> => {
    const found = await directory.find(key.tenant, key.id)
    if (found.some((each) => each.key.agent === key.agent)) return true
    const home = await directory.home(key)
    const url = `https://session/sessions/${key.id}?agent=${encodeURIComponent(key.agent)}`
    const request = forwardToObject(new Request(url, { method: 'HEAD' }), observerOf(key), home)
    const { status } = await objects.get(objects.idFromName(home)).fetch(request)
    if (status !== 200 && status !== 404) throw new Error(`The session's object answered ${status}.`)
    return status === 200
  }
