// The parts that the models of an agent lack, together: one model that can be asked is enough.
import type { LanguageModel } from '../../agents/model/model.ts'
import type { ModelSource } from './model-source.ts'

/** The missing parts of all models, as one text; null: one of them can be asked. An object of a package has its key from elsewhere. */
export const modelNeeds = (
  models: readonly (LanguageModel | string)[],
  missing: ModelSource['missing'],
): string | null => {
  const problems = models.flatMap((model) => (typeof model === 'string' ? (missing(model) ?? []) : []))
  if (problems.length < models.length) return null
  return problems.map((problem, at) => (at < problems.length - 1 ? problem.replace(/\.$/, '') : problem)).join('; or: ')
}
