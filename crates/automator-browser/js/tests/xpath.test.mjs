// What the XPath predicates of the page library mean, with elements made of plain objects.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const names = {
  children: 'children', compare: 'compare', composed: 'composed', descendants: 'descendants', filter: 'filter',
  findPath: 'find_path', holds: 'holds', inOrder: 'in_order', isElement: 'is_element', shadowRoot: 'shadow_root',
  strings: 'strings',
};
const source = (file) => readFileSync(new URL(`../${file}.js`, import.meta.url), 'utf8');
const library = Object.fromEntries(
  Object.entries(names).map(([name, file]) => [name, new Function('Node', `return (${source(file)})`)({
    ELEMENT_NODE: 1, TEXT_NODE: 3, CDATA_SECTION_NODE: 4,
  })]),
);

/** An element with attributes and content: texts and elements. */
function element(localName, attributes = {}, ...content) {
  const self = {
    nodeType: 1,
    localName,
    shadowRoot: null,
    parentNode: null,
    getAttribute: (name) => attributes[name] ?? null,
    childNodes: content.map((item) => (typeof item === 'string' ? { nodeType: 3, nodeValue: item } : item)),
  };
  self.children = self.childNodes.filter(({ nodeType }) => nodeType === 1);
  self.textContent = self.childNodes.map((node) => node.nodeValue ?? node.textContent).join('');
  for (const child of self.children) {
    child.parentNode = self;
  }
  return self;
}

/** Gives an element a shadow root. */
function withShadow(host, ...content) {
  const root = { ...element('#shadow', {}, ...content), nodeType: 11, host };
  for (const child of root.children) {
    child.parentNode = root;
  }
  host.shadowRoot = root;
  return host;
}

const attribute = (name) => ({ is: 'attribute', name });
const literal = (value) => ({ is: 'literal', value });
const holds = (expression, on, position = 1, size = 1) => library.holds(expression, on, position, size);

test('comparisons are between any text of the one side and any of the other', () => {
  const equal = (left, right) => ({ is: 'compare', left, compare: '=', right });
  const texts = element('p', { id: 'x' }, 'one', element('b', {}, 'bold'), 'two');
  assert.ok(holds(equal(attribute('id'), literal('x')), texts));
  assert.ok(holds(equal({ is: 'text' }, literal('two')), texts));
  assert.ok(!holds(equal({ is: 'text' }, literal('bold')), texts));
  assert.ok(holds(equal({ is: 'content' }, literal('oneboldtwo')), texts));
  const unequal = { ...equal({ is: 'text' }, literal('one')), compare: '!=' };
  assert.ok(holds(unequal, texts), 'one of the two texts differs');
  assert.ok(!holds({ ...unequal, left: attribute('missing') }, texts), 'what is not there does not differ');
});

test('numbers are compared as numbers, and nothing is none', () => {
  const less = (value) => ({ is: 'compare', left: attribute('n'), compare: '<', right: { is: 'number', value } });
  assert.ok(holds(less(10), element('p', { n: ' 9 ' })));
  assert.ok(!holds(less(10), element('p', { n: '' })));
  assert.ok(!holds(less(10), element('p', { n: 'nine' })));
  const same = { is: 'compare', left: attribute('n'), compare: '=', right: { is: 'number', value: 1 } };
  assert.ok(holds(same, element('p', { n: '1.0' })));
});

test('contains and starts-with look at the first text only', () => {
  const contains = (text, part) => ({ is: 'contains', text, part: literal(part) });
  const texts = element('p', {}, 'first ', element('b', {}, 'bold'), ' last');
  assert.ok(holds(contains({ is: 'text' }, 'first'), texts));
  assert.ok(!holds(contains({ is: 'text' }, 'last'), texts));
  assert.ok(holds(contains({ is: 'content' }, 'last'), texts));
  assert.ok(holds({ is: 'startsWith', text: { is: 'content' }, part: literal('fir') }, texts));
  assert.ok(holds(contains(attribute('missing'), ''), texts), 'every text contains the empty one');
});

test('spaces are collapsed and trimmed by normalize-space', () => {
  const normal = { is: 'normalizeSpace', of: { is: 'content' } };
  const on = element('p', {}, '  a \n\t b\u00a0 ');
  assert.deepEqual(library.strings(normal, on), ['a b\u00a0']);
});

test('existence, logic and places', () => {
  const exists = (operand) => ({ is: 'exists', operand });
  const on = element('p', { empty: '' });
  assert.ok(holds(exists(attribute('empty')), on));
  assert.ok(!holds(exists({ is: 'text' }), on));
  assert.ok(holds({ is: 'not', of: exists(attribute('x')) }, on));
  const both = [exists(attribute('empty')), exists(attribute('x'))];
  assert.ok(holds({ is: 'or', of: both }, on) && !holds({ is: 'and', of: both }, on));
  assert.ok(holds({ is: 'last' }, on, 3, 3) && !holds({ is: 'last' }, on, 2, 3));
  assert.ok(holds({ is: 'position', compare: '>=', number: 2 }, on, 2, 3));
});

test('predicates apply one after the other, and positions count among siblings of the name', () => {
  const list = [1, 2, 3, 4].map((n) => element('li', { n: String(n), odd: n % 2 ? '' : null }));
  const at = (number) => ({ is: 'position', compare: '=', number });
  const isOdd = { is: 'exists', operand: attribute('odd') };
  assert.deepEqual(library.filter(list, [isOdd, at(2)]), [list[2]]);
  assert.deepEqual(library.filter(list, [at(2), isOdd]), []);
  const step = { axis: 'child', name: 'li', predicates: [at(2)] };
  const parent = element('ul', {}, element('a'), list[0], 'text', element('b'), list[1]);
  assert.deepEqual(library.children(parent, step), [list[1]]);
});

test('steps go through shadow roots, and a written path into them', () => {
  const inner = element('p', { n: 'inner' });
  const light = element('p', { n: 'light' });
  const host = withShadow(element('x-a', {}, light), inner);
  const root = { ...element('#document', {}, element('html', {}, host)), nodeType: 9 };
  const at = [{ is: 'position', compare: '=', number: 1 }];
  const step = (axis, name, predicates = at) => ({ axis, name, predicates });
  const all = { steps: [step('descendant', 'p', [])], indexed: false };
  assert.deepEqual(library.findPath(all, root), [inner, light]);
  const steps = [step('child', 'html'), step('child', 'x-a'), step('descendant', 'p')];
  assert.deepEqual(library.findPath({ steps, indexed: true }, root), [inner]);
  assert.deepEqual(library.findPath({ steps: [...steps.slice(0, 2), step('child', 'p')], indexed: true }, root), [light]);
  const second = { path: all, predicates: [{ is: 'position', compare: '=', number: 2 }] };
  assert.deepEqual(library.findPath({ group: second, steps: [], indexed: false }, root), [light]);
});
