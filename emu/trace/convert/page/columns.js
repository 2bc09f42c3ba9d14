// SPDX-License-Identifier: GPL-2.0-only
// Columns of numbers, which packing.py has made smaller.

// The columns by their names: bytes, Uint32Array, or Float64Array where numbers are larger.
async function unpacked(layout, text) {
  const data = await inflated(text), found = {};
  let place = 0;
  for (const [name, [count, width]] of Object.entries(layout)) {
    found[name] = column(data.subarray(place, place + count * width), count, width);
    place += count * width;
  }
  return found;
}

// The bytes of zlib's stream in base64.
async function inflated(text) {
  const letters = atob(text), bytes = new Uint8Array(letters.length);
  for (let n = 0; n < letters.length; n++) bytes[n] = letters.charCodeAt(n);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

function column(data, count, width) {
  if (width === 1) return data;
  const numbers = width <= 4 ? new Uint32Array(count) : new Float64Array(count);
  for (let plane = 0, unit = 1; plane < width; plane++, unit *= 256) {
    const start = plane * count;
    for (let n = 0; n < count; n++) numbers[n] += unit * data[start + n];
  }
  return numbers;
}

// Sums of all numbers before each place, and of all.
function sums(numbers) {
  const found = new Float64Array(numbers.length + 1);
  let sum = 0;
  for (let n = 0; n < numbers.length; n++) found[n + 1] = sum += numbers[n];
  return found;
}

// The first place from `first` to `end` whose number is at least `least`; numbers ascend.
function firstAtLeast(numbers, least, first, end) {
  let step = 1;
  while (first + step < end && numbers[first + step] < least) step *= 2;  // what is sought is often near
  end = Math.min(end, first + step);
  if (step > 1) first += step / 2;
  while (first < end) {
    const middle = (first + end) >>> 1;
    if (numbers[middle] < least) first = middle + 1; else end = middle;
  }
  return first;
}

// Places in the order of their keys; those of one key keep their order. Also where those of each key begin.
function grouped(keys, count) {
  const firsts = new Uint32Array(count + 1);
  for (const key of keys) firsts[key + 1]++;
  for (let n = 0; n < count; n++) firsts[n + 1] += firsts[n];
  const order = new Uint32Array(keys.length), next = firsts.slice();
  for (let n = 0; n < keys.length; n++) order[next[keys[n]]++] = n;
  return { order, firsts };
}
