// A tenant's first directory object serves its readers; the others relay their changes to it.
import type { EngineIdentity } from '@bridle/kernel/engine-info'
import type { RowChange, RowObserver } from '@bridle/kernel/ports/row-observer'
import type { ChangesStub } from '@bridle/stores/object/change-watchers'
import { ChangeFeed } from '@bridle/surfaces/changes/change-feed'
import { ChangesSocket, type ChangesSocketPorts } from '@bridle/surfaces/changes/changes-socket'
import { changesStream } from '@bridle/surfaces/changes/changes-stream'
import { restoreChangesSocket } from '@bridle/surfaces/changes/routes'
import type { Access } from '@bridle/surfaces/http/access/authenticate'
import { viewerOf } from '@bridle/surfaces/http/access/users'
import { Denial, toResponse } from '@bridle/surfaces/http/denials/denial'
import { runClock } from '../alarms/object-clock.ts'
import type { ObjectContext } from '../platform/platform.ts'
import { ObjectSockets } from '../sockets/object-sockets.ts'
import type { ChangeRelay } from './change-relay.ts'

export interface DirectoryChangesPorts {
  readonly ctx: ObjectContext
  readonly relay: ChangeRelay
  readonly identityOf: (agent: string) => EngineIdentity
  readonly peersOf: (tenant: string) => readonly Pick<ChangesStub, 'watchChanges'>[]
  readonly nameFor: (tenant: string) => string
  readonly streamMs?: number
  readonly deadAfterMs: number | undefined
}

export class DirectoryChanges implements RowObserver {
  readonly sockets: ObjectSockets<ChangesSocketPorts>
  readonly #ports: DirectoryChangesPorts
  readonly #feed: ChangeFeed
  /** Readers that are connecting. Counted so that other objects do not stop relaying. */
  #arriving = 0

  constructor(ports: DirectoryChangesPorts) {
    this.#ports = ports
    this.#feed = new ChangeFeed({ clock: runClock, identityOf: ports.identityOf })
    this.sockets = new ObjectSockets(ports.ctx, [restoreChangesSocket], {
      clock: runClock,
      deadAfterMs: ports.deadAfterMs,
    })
  }

  isObserved(tenant: string): boolean {
    return this.#feed.isObserved(tenant) || this.#ports.relay.isObserved(tenant)
  }

  observe(change: RowChange): void {
    this.#feed.observe(change)
    this.#ports.relay.observe(change)
  }

  /** Hibernated sockets subscribe again before the change that woke the object is handled. */
  restore(): Promise<void> {
    return this.sockets.restore({ ports: this.#socketPorts }, async () => 0)
  }

  /** The gateway has already checked the caller. */
  async open(request: Request, access: Access): Promise<Response> {
    const { tenant } = access
    this.#arriving += 1
    try {
      await this.#watchPeers(tenant)
    } catch {
      return toResponse(new Denial('unavailable', 'The directory is not complete; try again.', { 'retry-after': '1' }))
    } finally {
      this.#arriving -= 1
    }
    const connection = { tenant, viewer: await viewerOf(access) }
    if (request.headers.get('upgrade')?.toLowerCase() === 'websocket')
      return this.sockets.accept(request, (socket) => new ChangesSocket(connection, socket, this.#socketPorts))
    const { streamMs } = this.#ports
    return changesStream(connection, this.#feed, streamMs === undefined ? {} : { endAfterMs: streamMs })
  }

  takeRelayed(tenant: string, changes: readonly RowChange[], hasGap: boolean): boolean {
    if (hasGap) this.#feed.sendReady(tenant)
    for (const change of changes) this.#feed.observe(change)
    return this.#arriving > 0 || this.#feed.isObserved(tenant)
  }

  get #socketPorts(): ChangesSocketPorts {
    return { clock: runClock, changes: this.#feed }
  }

  async #watchPeers(tenant: string): Promise<void> {
    const { peersOf, nameFor } = this.#ports
    await Promise.all(peersOf(tenant).map((peer) => peer.watchChanges(tenant, nameFor(tenant))))
  }
}
