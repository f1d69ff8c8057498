// The tenant's directory lists child sessions in other objects. Their artifacts come from the public route of each object.

import type { Key } from '@bridle/kernel/event'
import type { Clock } from '@bridle/kernel/ports/clock'
import type { Directory } from '@bridle/kernel/ports/directory'
import { StoreFault } from '@bridle/kernel/ports/store-fault'
import type { ObjectNamespace } from '@bridle/stores/object/platform-types'
import type { RemoteDirectory } from '@bridle/stores/object/remote-directory'
import type { RelatedSessions } from '@bridle/surfaces/http/sessions/related-sessions'
import type { ArtifactSummary } from '@bridle/wire/http/wire'
import { fetchObject, forwardToObject, observerOf, type PeerObjects } from './forwarded-request.ts'

/** Objects that answer later are left out. */
const PEER_WAIT_MS = 2_000

export const peerSessions = (
  { objects, directory, home }: PeerObjects,
  own: Directory,
  clock: Clock,
): RelatedSessions => ({
  list: (tenant, filter) =>
    withAnswerDeadline(clock, directory.list(tenant, filter)).catch(() => own.list(tenant, filter)),
  find: (tenant, id) =>
    withAnswerDeadline(clock, directory.find(tenant, id)).catch((cause: unknown) => {
      throw new StoreFault('unreachable', 'The directory does not answer.', cause)
    }),
  livesElsewhere: async (key) => {
    // Without the directory, the session could not be created either.
    const theirs = await withAnswerDeadline(clock, directory.knownHome(key)).catch(() => null)
    return theirs !== null && theirs !== home()
  },
  artifacts: async (key) => {
    const theirs = await withAnswerDeadline(clock, directory.home(key))
    if (theirs === home()) return 'here'
    const url = `https://session/sessions/${key.id}/artifacts?agent=${encodeURIComponent(key.agent)}`
    // Abort the request: a pending one would keep this object awake.
    const late = new AbortController()
    const request = forwardToObject(new Request(url, { signal: late.signal }), observerOf(key), theirs)
    const answer = fetchObject(objects, theirs, request).then(listed)
    return withAnswerDeadline(clock, answer, () => late.abort())
  },
})

const listed = async (answer: Response): Promise<readonly ArtifactSummary[]> => {
  if (!answer.ok) throw new Error(`Answered ${answer.status}.`)
  return ((await answer.json()) as { artifacts: ArtifactSummary[] }).artifacts
}

const withAnswerDeadline = <T>(clock: Clock, answer: Promise<T>, abort = () => {}): Promise<T> =>
  new Promise((resolve, reject) => {
    const forget = clock.after(PEER_WAIT_MS, () => {
      reject(new Error('No answer in time.'))
      abort()
    })
    answer.then(resolve, reject).finally(forget)
  })

/** After data loss the directory may not know a session, so ask its object. */
export const sessionFinder =
  (objects: ObjectNamespace, directory: Pick<RemoteDirectory, 'find' | 'home'>) =>
  async (key: Key): Promise<boolean> => {
    const found = await directory.find(key.tenant, key.id)
    if (found.some((each) => each.key.agent === key.agent)) return true
    const home = await directory.home(key)
    const url = `https://session/sessions/${key.id}?agent=${encodeURIComponent(key.agent)}`
    const request = forwardToObject(new Request(url, { method: 'HEAD' }), observerOf(key), home)
    const { status } = await fetchObject(objects, home, request)
    if (status !== 200 && status !== 404) throw new Error(`The session's object answered ${status}.`)
    return status === 200
  }
