// The frames of a wire since the page listens: the newest are kept, all are counted.
import type { FrameText, WireFrame } from './wire-frame.ts'

/** Frames that the page holds of each wire, and those that it shows. */
const FRAMES_MAX = 500

export interface FrameCounts {
  readonly in: number
  readonly out: number
  /** Deltas that did not continue from the state before them. */
  readonly gaps: number
}

export class FrameLog {
  #frames: WireFrame[] = []
  #counts = { in: 0, out: 0, gaps: 0 }
  #seq: number | null = null

  /** Newest first. */
  newest(count: number): readonly WireFrame[] {
    return this.#frames.slice(-count).reverse()
  }

  get counts(): FrameCounts {
    return this.#counts
  }

  add(frame: FrameText & { readonly isOut: boolean; readonly at: number; readonly bytes: number }): void {
    const counts = this.#counts
    this.#counts = frame.isOut ? { ...counts, out: counts.out + 1 } : { ...counts, in: counts.in + 1 }
    this.#frames.push({ ...frame, id: counts.in + counts.out })
    if (this.#frames.length > 2 * FRAMES_MAX) this.#frames = this.#frames.slice(-FRAMES_MAX)
  }

  /** The position before and after a delta or a state; a state begins anew. */
  follow(seq: number | undefined, prev: number | undefined): void {
    if (prev !== undefined && this.#seq !== null && prev !== this.#seq)
      this.#counts = { ...this.#counts, gaps: this.#counts.gaps + 1 }
    this.#seq = seq ?? null
  }
}
