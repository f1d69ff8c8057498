// A shelf of articles: every markdown file of the folder, searched by the words that it shares with the question. Put your own search here.
import { readdirSync, readFileSync } from 'node:fs'

const folder = new URL('./articles/', import.meta.url)

const articles = readdirSync(folder)
  .filter((name) => name.endsWith('.md'))
  .map((name) => {
    const text = readFileSync(new URL(name, folder), 'utf8')
    return { id: name.replace('.md', ''), title: /^# (.*)$/m.exec(text)?.[1] ?? name, text }
  })

export const searchArticles = (question: string, limit: number) => {
  const asked = wordsOf(question)
  return articles
    .map((article) => ({ ...article, score: [...wordsOf(article.text)].filter((word) => asked.has(word)).length }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, Math.min(limit, 2))
    .map(({ id, title, text }) => ({ id, title, text }))
}

/** Words of four letters and more, without their endings: "lamps" and "lamp" are the same. */
const wordsOf = (text: string): Set<string> =>
  new Set(
    (text.toLowerCase().match(/[a-z]{4,}/g) ?? []).filter((word) => !COMMON.has(word)).map((word) => word.slice(0, 5)),
  )

const COMMON = new Set(['does', 'have', 'that', 'this', 'what', 'when', 'with', 'your', 'about', 'lamp', 'lamps'])
