// Pages of a log, encoded for an audience, kept while readers catch up. Readers that follow each other through the same log
// get the same text, and all but the first cost no reading and no encoding.

/** Encoded text kept for readers that catch up behind each other: the distance from the first to the last. */
export const ENCODED_PAGES_CHARS = 2_000_000
/** The memory of an encoded page without text, in characters: its entry in the cache. */
const EMPTY_PAGE_CHARS = 200

export interface EncodedPage {
  /** Empty = nothing on this page is for the audience. */
  readonly text: string
  /** The number of the page's last event. */
  readonly last: number
}

export class EncodedPageCache {
  readonly #pages = new Map<string, EncodedPage>()
  #chars = 0

  get(audience: string, after: number): EncodedPage | undefined {
    return this.#pages.get(nameOf(audience, after))
  }

  /** The oldest page leaves when there are too many: readers move forward. */
  set(audience: string, after: number, page: EncodedPage): void {
    const name = nameOf(audience, after)
    const previous = this.#pages.get(name)
    // Two readers at the same place may both have read the page.
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
