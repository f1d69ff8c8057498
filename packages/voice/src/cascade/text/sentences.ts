// Cuts an answer into speakable sentences while it is being written. Code blocks and tables are announced, not read.
import { plainWords } from './plain-words.ts'

/** Three lines: early first audio, and little waste on interruption. */
export const SENTENCE_CHARS_MAX = 300
/** An overlong sentence is cut at a comma or space after this many characters. */
const CLAUSE_CHARS_MIN = 120
/** Enough to tell prose from code, tables, headings and lists: the longest marker is `1000. `. */
const LINE_START_CHARS = 6

/** The parts of an answer are contiguous. */
export interface SpokenPart {
  readonly from: number
  readonly to: number
  /** Empty if silent. */
  readonly words: string
  /** The words stand in for the part. If only some of them were heard, the part counts as unheard. */
  readonly isWhole: boolean
}

export class SentenceCutter {
  /** Text not yet emitted: `#prose` starts at `#from` and is followed by the unclassified line. */
  #from: number
  #prose = ''
  #line = ''
  /** Classified early, so the rest of the line is prose. */
  #isInLine = false
  #isHeading = false
  #block: 'prose' | 'code' | 'table' = 'prose'
  #fence = ''
  #parts: SpokenPart[] = []

  /** `from`: the number of characters to skip. */
  constructor(from = 0) {
    this.#from = from
  }

  write(text: string): readonly SpokenPart[] {
    for (const piece of text.split(/(?<=\n)/)) {
      this.#line += piece
      const isComplete = piece.endsWith('\n')
      if (isComplete || this.#isClassified()) this.#takeLine(isComplete)
    }
    return this.#parts.splice(0)
  }

  flush(): readonly SpokenPart[] {
    if (this.#line !== '') this.#takeLine(true)
    this.#emitProse()
    return this.#parts.splice(0)
  }

  #isClassified(): boolean {
    const start = this.#line.trimStart()
    if (this.#isInLine || this.#block === 'code') return this.#isInLine
    // No marker starts with a letter, and none is longer than `LINE_START_CHARS`.
    return /^[^\s\d`~|#>*+-]/.test(start) || (start.length >= LINE_START_CHARS && !/^(?:```|~~~|\|)/.test(start))
  }

  #takeLine(isComplete: boolean): void {
    const line = this.#line
    this.#line = ''
    if (this.#isInLine) return this.#addProse(line, isComplete)
    const [, fence = '', language = ''] = /^\s{0,3}(`{3,}|~{3,})\s*([\w+#.-]*)/.exec(line) ?? []
    if (this.#block === 'code') {
      this.#emit(line, '', true)
      if (fence.startsWith(this.#fence) && line.trim() === fence) this.#block = 'prose'
    } else if (fence !== '') {
      this.#emitProse()
      this.#block = 'code'
      this.#fence = fence
      this.#emit(line, codeNotice(language), true)
    } else if (/^\s*\|/.test(line)) {
      this.#emitProse()
      this.#emit(line, this.#block === 'table' ? '' : 'There is a table.', true)
      this.#block = 'table'
    } else {
      this.#block = 'prose'
      // Blank lines, headings and list items end the sentence before them.
      if (/^\s*(?:$|#{1,6}\s|[-*+]\s|\d+[.)]\s|>)/.test(line)) this.#emitProse()
      this.#isHeading = /^\s*#{1,6}\s/.test(line)
      this.#addProse(line, isComplete)
    }
  }

  #addProse(text: string, isComplete: boolean): void {
    this.#prose += text
    this.#isInLine = !isComplete
    for (let end = sentenceEnd(this.#prose); end > 0; end = sentenceEnd(this.#prose)) {
      const sentence = this.#prose.slice(0, end)
      this.#prose = this.#prose.slice(end)
      this.#emit(sentence, plainWords(sentence))
    }
    if (this.#isHeading && isComplete) this.#emitProse()
  }

  #emitProse(): void {
    const rest = this.#prose
    this.#prose = ''
    if (rest !== '') this.#emit(rest, plainWords(rest))
  }

  #emit(text: string, words: string, isWhole = false): void {
    const from = this.#from
    this.#from += text.length
    this.#parts.push({ from, to: this.#from, words, isWhole })
  }
}

/** Length of the first sentence including trailing space. 0 if it has not ended. */
const sentenceEnd = (text: string): number => {
  for (const match of text.matchAll(/[.!?…]+["'”’)\]*_`]*\s+|[。！？]+/g)) {
    const end = match.index + match[0].length
    if (end > SENTENCE_CHARS_MAX) break
    if (!isAbbreviation(text.slice(0, match.index))) return end
  }
  return text.length > SENTENCE_CHARS_MAX ? clauseEnd(text.slice(0, SENTENCE_CHARS_MAX)) : 0
}

/** Cuts at the last comma, otherwise at the last space. */
const clauseEnd = (text: string): number => {
  const comma = Math.max(...[', ', '; ', ': ', '、', '，'].map((mark) => text.lastIndexOf(mark)))
  const space = text.search(/\s\S*$/)
  const end = (comma > CLAUSE_CHARS_MIN ? comma : Math.max(space, 0)) + 1
  if (end > CLAUSE_CHARS_MIN) return end
  // Keep surrogate pairs together.
  return /[\uD800-\uDBFF]$/.test(text) ? text.length - 1 : text.length
}

/** A period after a title, an initial or a list number does not end a sentence. */
const isAbbreviation = (before: string): boolean =>
  /^\s*\d+$/.test(before) || /(?:^|[\s(])(?:e\.g|i\.e|mr|mrs|ms|dr|prof|vs|fig|approx|\p{Lu})$/iu.test(before)

const codeNotice = (language: string): string => {
  const name = LANGUAGES[language.toLowerCase()] ?? (/^[a-z]{2,20}$/i.test(language) ? language : '')
  return name === '' ? 'There is a block of code.' : `There is a block of ${name} code.`
}

const LANGUAGES: { readonly [mark: string]: string } = {
  ...{ js: 'JavaScript', jsx: 'JavaScript', ts: 'TypeScript', tsx: 'TypeScript', py: 'Python', rb: 'Ruby', rs: 'Rust' },
  ...{ sh: 'shell', bash: 'shell', zsh: 'shell', console: 'shell' },
  ...{ cs: 'C sharp', 'c#': 'C sharp', 'c++': 'C plus plus', cpp: 'C plus plus' },
  ...{ json: 'JSON', yml: 'YAML', yaml: 'YAML', html: 'HTML', css: 'CSS', sql: 'SQL', md: 'Markdown' },
  ...{ text: '', txt: '', plaintext: '' },
}
