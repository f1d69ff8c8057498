export * from '@bridle/words/index'
