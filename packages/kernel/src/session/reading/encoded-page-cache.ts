// Readers that catch up one after another share encoded pages: only the first costs reading and encoding.

/** Bounds the distance between the first and last reader that can share pages. */
export const ENCODED_PAGES_CHARS = 2_000_000
/** Estimated overhead of a cache entry. */
const EMPTY_PAGE_CHARS = 200

export interface EncodedPage {
  /** Empty if nothing on the page is for the audience. */
  readonly text: string
  readonly last: number
}

export class EncodedPageCache {
  readonly #pages = new Map<string, EncodedPage>()
  #chars = 0

  get(audience: string, after: number): EncodedPage | undefined {
    return this.#pages.get(nameOf(audience, after))
  }

  /** Evicts the oldest pages first: readers move forward. */
  set(audience: string, after: number, page: EncodedPage): void {
    const name = nameOf(audience, after)
    const previous = this.#pages.get(name)
    // Two readers may have read the same page concurrently.
    if (previous) this.#chars -= pageChars(previous)
    this.#pages.set(name, page)
    this.#chars += pageChars(page)
    for (const [place, oldest] of this.#pages) {
      if (this.#chars <= ENCODED_PAGES_CHARS) return
      this.#pages.delete(place)
      this.#chars -= pageChars(oldest)
    }
  }

  clear(): void {
    this.#pages.clear()
    this.#chars = 0
  }
}

const nameOf = (audience: string, after: number): string => `${after}:${audience}`
const pageChars = ({ text }: EncodedPage): number => text.length + EMPTY_PAGE_CHARS
