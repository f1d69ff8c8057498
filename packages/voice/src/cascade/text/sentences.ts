// Cuts a written answer into what is spoken at once, while it is written. A block of code and a table are announced and not read.
import { plainWords } from './plain-words.ts'

/** Characters that are spoken at once: three lines. The first audio comes soon, and an interruption wastes little. */
export const SENTENCE_CHARS_MAX = 300
/** Where a sentence is too long, the cut is at a comma or a space behind this many characters. */
const CLAUSE_CHARS_MIN = 120
/** Characters that tell a line of prose from code, tables, headings and lists: the longest mark is `1000. `. */
const LINE_START_CHARS = 6

/** A part of an answer. The parts of an answer lie one behind the other, without gaps. */
export interface SpokenPart {
  readonly from: number
  readonly to: number
  /** Empty = the part is not spoken. */
  readonly words: string
  /** The words stand for the part as a whole: a listener who has not heard all of them has heard nothing of it. */
  readonly isWhole: boolean
}

export class SentenceCutter {
  /** Text that is in no part yet: `#prose` begins at `#from`, and the line that is not classified yet follows. */
  #from: number
  #prose = ''
  #line = ''
  /** The line was classified before its end: the rest of it is prose. */
  #isInLine = false
  #isHeading = false
  #block: 'prose' | 'code' | 'table' = 'prose'
  #fence = ''
  #parts: SpokenPart[] = []

  /** `from`: the characters of the answer that nobody is to hear. */
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

  /** The answer pauses or ends here: the rest is spoken as it is. */
  flush(): readonly SpokenPart[] {
    if (this.#line !== '') this.#takeLine(true)
    this.#emitProse()
    return this.#parts.splice(0)
  }

  #isClassified(): boolean {
    const start = this.#line.trimStart()
    if (this.#isInLine || this.#block === 'code') return this.#isInLine
    // A letter begins none of the marks, which are longer than a character.
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
      // A blank line, a heading and an item of a list end the sentence before them.
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

/** The length of the first sentence with the space behind it; 0 = it has no end yet. */
const sentenceEnd = (text: string): number => {
  for (const match of text.matchAll(/[.!?…]+["'”’)\]*_`]*\s+|[。！？]+/g)) {
    const end = match.index + match[0].length
    if (end > SENTENCE_CHARS_MAX) break
    if (!isAbbreviation(text.slice(0, match.index))) return end
  }
  return text.length > SENTENCE_CHARS_MAX ? clauseEnd(text.slice(0, SENTENCE_CHARS_MAX)) : 0
}

/** A sentence without an end is cut at its last comma, else at its last space. */
const clauseEnd = (text: string): number => {
  const comma = Math.max(...[', ', '; ', ': ', '、', '，'].map((mark) => text.lastIndexOf(mark)))
  const space = text.search(/\s\S*$/)
  const end = (comma > CLAUSE_CHARS_MIN ? comma : Math.max(space, 0)) + 1
  if (end > CLAUSE_CHARS_MIN) return end
  // The two halves of a character stay together.
  return /[\uD800-\uDBFF]$/.test(text) ? text.length - 1 : text.length
}

/** A point that ends no sentence: behind a title, an initial, or the number of a list's item. */
const isAbbreviation = (before: string): boolean =>
  /^\s*\d+$/.test(before) || /(?:^|[\s(])(?:e\.g|i\.e|mr|mrs|ms|dr|prof|vs|fig|approx|\p{Lu})$/iu.test(before)

const codeNotice = (language: string): string => {
  const name = LANGUAGES[language.toLowerCase()] ?? (/^[a-z]{2,20}$/i.test(language) ? language : '')
  return name === '' ? 'There is a block of code.' : `There is a block of ${name} code.`
}

/** The names of short marks, as people say them. */
const LANGUAGES: { readonly [mark: string]: string } = {
  ...{ js: 'JavaScript', jsx: 'JavaScript', ts: 'TypeScript', tsx: 'TypeScript', py: 'Python', rb: 'Ruby', rs: 'Rust' },
  ...{ sh: 'shell', bash: 'shell', zsh: 'shell', console: 'shell' },
  ...{ cs: 'C sharp', 'c#': 'C sharp', 'c++': 'C plus plus', cpp: 'C plus plus' },
  ...{ json: 'JSON', yml: 'YAML', yaml: 'YAML', html: 'HTML', css: 'CSS', sql: 'SQL', md: 'Markdown' },
  ...{ text: '', txt: '', plaintext: '' },
}
